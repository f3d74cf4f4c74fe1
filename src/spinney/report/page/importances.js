// Importances of the columns in the tree of the chosen size, with and without surrogates.
(function (S) {
  "use strict";
  const P = S.data, T = S.tree;
  const MOST = 20;
  const columnsOf = (test) => (test.tokens ? Array.from(new Set(test.tokens.filter(([op]) => op === "column").map(([, j]) => j))) : [test.column]);

  // Shares of impurity removed, and rpart's sums in which surrogates count by how well they agree.
  S.importances = function () {
    const plain = P.columns.map(() => 0), all = P.columns.map(() => 0);
    const give = (sums, test, amount) => { const own = columnsOf(test); own.forEach((j) => { sums[j] += amount / own.length; }); };
    const at = S.standing();
    T.parent.forEach((_, node) => {
      if (at[node] >= 0) return;
      give(plain, T.tests[node], T.drop[node]);
      give(all, T.tests[node], T.gain[node]);
      (T.surrogates[node] || []).forEach((own) => give(all, own, T.gain[node] * own.adjusted));
    });
    const total = plain.reduce((a, b) => a + b, 0);
    return { plain: plain.map((x) => (total > 0 ? x / total : 0)), surrogates: all };
  };
  function renew(holder) {
    const { plain, surrogates } = S.importances(), sum = surrogates.reduce((a, b) => a + b, 0) || 1;
    const order = P.columns.map((_, j) => j).filter((j) => plain[j] > 0 || surrogates[j] > 0).sort((a, b) => plain[b] - plain[a] || surrogates[b] - surrogates[a]);
    const own = (P.ensemble && P.ensemble.importances) || null;
    const bars = order.slice(0, MOST).map((j) => ({ name: P.columns[j].name, values: [plain[j], surrogates[j] / sum], texts: [S.share(plain[j])] }));
    if (!order.length) return S.clear(holder, S.el("p", { class: "note" }, "A tree of one leaf asks nothing."));
    const table = () => S.table(["Column", "Tests", "With surrogates", "With surrogates, share"], order.map((j) => [S.columnText(j, 60), S.share(plain[j]), S.number(surrogates[j], 5), S.share(surrogates[j] / sum)]), { caption: "Importances" });
    return S.clear(holder, S.figure(own ? "Importances in the tree that stands in" : "Importances", S.bars(bars, "Importances"), table, "Upper bar: the share of impurity that the column's tests remove. Lower bar: with what it would do as a surrogate, as in rpart."));
  }
  S.drawImportancesPart = function () {
    const section = S.part("importances", "Importances"), holder = S.el("div");
    section.append(holder);
    renew(holder);
    S.on("step", () => renew(holder));
  };
})(window.Spinney);
