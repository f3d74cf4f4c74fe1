// The panel of the chosen node: counts, risk, rule, SQL of the segment, and surrogates.
(function (S) {
  "use strict";
  const P = S.data, T = S.tree;

  function lifetimes(node) {
    const row = (name, cell) => [name, ...S.sets.map((_, set) => cell(set))];
    return [S.table(["", ...S.sets], [
      row("Rows", (set) => S.count(S.weightOf(set, node))),
      row("Events", (set) => S.count(S.countedOf(set, node))),
      row("Expected at its risk", (set) => S.count(S.expectedOf(set, node))),
      row("Median time", (set) => S.medianText(S.curveOf(set, node))),
    ], { caption: "Lifetimes in the node" }), S.nodeSurvival(node)];
  }
  function counts(node) {
    if (S.isLifetimes) return lifetimes(node);
    if (!S.isClasses) {
      return S.table(["", ...S.sets], [
        ["Rows", ...S.sets.map((_, set) => S.count(S.weightOf(set, node)))],
        ...(P.about.exposed ? [["Exposure", ...S.sets.map((_, set) => S.count(S.exposureOf(set, node)))]] : []),
        [S.isRate ? "Rate" : "Mean", ...S.sets.map((_, set) => S.number(S.meanOf(set, node), 5))],
        ...(S.isRate ? [] : [["Std. deviation", ...S.sets.map((_, set) => S.number(S.spreadOf(set, node), 4))]]),
      ], { caption: "Numbers in the node" });
    }
    const rows = P.classes.slice(0, 30).map((_, k) => [
      S.el("span", {}, S.el("span", { class: "swatch class" + (k % 8), "aria-hidden": "true" }), S.classText(k), k === T.labels[node] ? " ◂" : ""),
      ...S.sets.map((_, set) => S.count(S.sums[set][node][k]) + " · " + S.share(S.sharesOf(set, node)[k], 0)),
    ]);
    rows.push(["All", ...S.sets.map((_, set) => S.count(S.weightOf(set, node)))]);
    return S.table(["Class", ...S.sets], rows, { caption: "Classes in the node; ◂ marks the prediction" });
  }
  function surrogates(node) {
    const listed = T.surrogates[node] || [];
    if (S.isLeaf(node)) return null;
    const way = S.branchText(T.first[node] + T.default[node]);
    const rest = T.fractional ? "A row without an answer goes down every branch by its share of the rows."
      : "What none can place goes where most rows go: " + way + ".";
    return [S.el("h4", {}, "Where a value is missing"),
      listed.length ? S.el("ol", {}, listed.map((own) => S.el("li", {}, S.surrogateText(own) + ", agrees on " + S.share(own.agreement, 0)))) : null,
      S.el("p", { class: "note" }, rest)];
  }
  function copyable(title, text) {
    const button = S.el("button", { type: "button", class: "small", "aria-label": "Copy: " + title, onclick: () => navigator.clipboard && navigator.clipboard.writeText(text).then(() => { button.textContent = "Copied"; }, () => {}) }, "Copy");
    const pre = S.el("pre", { tabindex: "0", role: "region", "aria-label": title });
    pre.textContent = text.length > 4000 ? text.slice(0, 4000) + " …" : text;
    return [S.el("h4", {}, title, " ", button), pre];
  }
  S.drawPanel = function () {
    const node = S.state.node, panel = document.getElementById("panel");
    const facts = [[S.isLifetimes ? "Risk (all rows: 1)" : "Predicts", S.predictionText(node)], ["Risk as a leaf", S.number(T.risk[node], 4)], ["Impurity", S.number(T.impurity[node], 4)], ["Rows that grew it", S.count(T.rows[node])]];
    if (!S.isLeaf(node)) facts.push(["Asks", S.testText(T.tests[node])]);
    S.clear(panel, S.el("h3", {}, S.isLeaf(node) ? "Leaf " + node : "Node " + node), S.el("p", { class: "rule" }, S.ruleText(node)),
      S.el("dl", {}, facts.map(([name, value]) => [S.el("dt", {}, name), S.el("dd", {}, value)])), counts(node), S.editBox(node), surrogates(node),
      copyable("SQL of the segment", "SELECT * FROM data\nWHERE " + S.segmentSql(node)),
      S.el("p", { class: "note" }, "For rows that have these values; gaps go by the rules above."));
  };
  S.on("node", S.drawPanel);
})(window.Spinney);
