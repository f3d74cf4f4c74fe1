// Rules: every leaf of the tree of the chosen size, and rules that the model has besides.
(function (S) {
  "use strict";
  const P = S.data, T = S.tree;
  const MOST = 500;
  function leafTable() {
    const total = S.weightOf(0, 0), leaves = S.leavesInOrder();
    const said = (leaf) => (S.isClasses ? S.share(S.sharesOf(0, leaf)[T.labels[leaf]]) : S.number(S.meanOf(0, leaf), 5));
    const held = (leaf) => (S.weightOf(1, leaf) > 0 ? (S.isClasses ? S.share(S.sharesOf(1, leaf)[T.labels[leaf]]) : S.number(S.meanOf(1, leaf), 5)) : "–");
    const two = S.sets.length > 1, what = S.isClasses ? "confidence" : S.isLifetimes ? "hazard" : S.isRate ? "rate" : "mean";
    const heads = ["Leaf", "If", "Then", "Rows", "Share", S.sets[0] + " " + what, ...(two ? ["Hold-out rows", "Hold-out " + what] : [])];
    const rows = leaves.slice(0, MOST).map((leaf) => [S.el("button", { type: "button", class: "link-like", onclick: () => { S.showNode(leaf); document.getElementById("tree").scrollIntoView(); } }, String(leaf)), S.ruleText(leaf), S.predictionText(leaf), S.count(S.weightOf(0, leaf)), S.share(S.weightOf(0, leaf) / total), said(leaf), ...(two ? [S.count(S.weightOf(1, leaf)), held(leaf)] : [])]);
    return [S.table(heads, rows, { left: [0, 1, 2], caption: "A rule for each leaf" }), leaves.length > MOST ? S.el("p", { class: "note" }, `The first ${MOST} of ${S.count(leaves.length)} leaves.`) : null];
  }
  function ownRules() {
    const own = P.rules;
    return [S.el("h3", {}, "Short rules of the model"), S.el("p", { class: "note" }, `${S.count(own.n)} rules in order: the first that holds decides; otherwise ${S.clip(own.default, 60)}.`),
      S.table(["No.", "If", "Then", "Rows", "Confidence", "Lift"], own.rules.map(([text, then, rows, confidence, lift], k) => [String(k + 1), S.clip(text, 1000), S.clip(then, 60), S.count(rows), S.share(confidence), S.fixed(lift, 2)]), { left: [0, 1, 2], caption: "Short rules of the model" })];
  }
  S.drawRulesPart = function () {
    const section = S.part("rules", "Rules", "Each leaf as a rule. Rows with gaps reach a leaf by surrogates or shares as well, and are counted with it.");
    const holder = S.el("div");
    section.append(holder);
    if (P.rules) S.el("div", {}, ...ownRules()).childNodes.forEach((node) => section.append(node.cloneNode(true)));
    const renew = () => S.clear(holder, leafTable());
    renew();
    S.on("step", renew);
  };
})(window.Spinney);
