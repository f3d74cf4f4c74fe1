// Draws the parts of the page in order.
(function (S) {
  "use strict";
  S.drawHead();
  S.drawTreePart();
  S.drawPanel();
  S.drawPruningPart();
  S.drawQualityPart();
  S.drawTracePart();
  S.drawEditsPart();
  S.drawRulesPart();
  S.drawImportancesPart();
  S.drawReasonsPart();
  S.drawColumnsPart();
  S.drawStabilityPart();
  S.drawEnsemblePart();
  S.drawSettingsPart();
  S.drawContents();
  S.preparePrint();
  document.documentElement.dataset.ready = "yes";
})(window.Spinney);
