// Stability: how often trees of bootstrap samples ask the same at the top.
(function (S) {
  "use strict";
  const P = S.data;
  const PLACES = ["First test", "Second test, where the first is true", "Second test, where the first is false"];
  S.drawStabilityPart = function () {
    const own = P.stability;
    if (!own) return;
    const section = S.part("stability", "Stability", `${own.n} trees of two levels were grown on bootstrap samples of ${S.count(own.rows)} rows. A test that few of them repeat could as well have been another.`);
    const figures = own.places.map((place, k) => {
      if (!place.columns.length) return null;
      const rows = place.columns.map((c) => ({ name: P.columns[c.column].name + (c.column === place.own ? " ◂" : ""), values: [c.n / own.n], texts: [S.share(c.n / own.n, 0)] }));
      return S.figure(PLACES[k], S.bars(rows, PLACES[k]), () => S.table(["Column", "Trees", "Share", "Threshold: quartiles"], place.columns.map((c) => [S.columnText(c.column, 60), S.count(c.n), S.share(c.n / own.n), c.cuts ? c.cuts.map((x) => S.number(x, 4)).join(" · ") : "–"]), { caption: PLACES[k] }));
    });
    section.append(S.el("div", { class: "charts" }, figures.filter((f) => f)), S.el("p", { class: "note" }, "◂ marks the column that the model itself asks there."));
  };
})(window.Spinney);
