// The columns: kinds, gaps, distributions, and drift between the data sets. Pictures are drawn when they are seen.
(function (S) {
  "use strict";
  const P = S.data;
  const DRIFTS = [[0.25, "large"], [0.1, "some"], [-Infinity, "little"]];
  const driftText = (x) => (x === null ? "–" : S.fixed(x, 3) + " " + DRIFTS.find(([limit]) => x >= limit)[1]);
  const barNames = (column) => {
    if (column.kind === "numeric") return (column.bars[0] || []).map((_, k) => (column.edges.length === 2 && column.edges[0] === column.edges[1] ? S.number(column.edges[0], 4) : S.number(column.edges[k], 4) + " to " + S.number(column.edges[k + 1], 4)));
    const names = column.order.map((code) => S.clip(column.categories[code], 40));
    return column.categories.length > column.order.length ? names.concat("others") : names;
  };
  const shares = (column, set) => { const own = column.bars[set] || [], total = own.reduce((a, b) => a + b, 0); return own.map((n) => (total ? n / total : 0)); };

  function histogram(column) {
    const sets = S.sets.map((_, set) => shares(column, set)), most = Math.max(1e-9, ...sets.flat()), n = sets[0].length || 1, w = 150 / n;
    return S.svg("svg", { viewBox: "0 0 150 40", class: "spark", "aria-hidden": "true", preserveAspectRatio: "none" }, sets.map((own, set) => own.map((x, k) => (set === 0
      ? S.svg("rect", { class: "set0", x: k * w + 0.5, y: 40 - (38 * x) / most, width: Math.max(0.5, w - 1), height: (38 * x) / most })
      : S.svg("path", { class: "set1", d: `M${k * w} ${40 - (38 * x) / most}h${w}` })))));
  }
  function detail(column) {
    const names = barNames(column);
    return S.table([column.kind === "numeric" ? "Values" : "Category", ...S.sets.flatMap((name) => [name, "share"])], names.map((name, k) => [name, ...S.sets.flatMap((_, set) => [S.count(column.bars[set][k]), S.share(shares(column, set)[k])])]), { caption: "Distribution of " + S.clip(column.name, 60) });
  }
  function row(column) {
    const s = column.summary;
    const values = s ? `${S.number(s[0], 4)} · ${S.number(s[2], 4)} · ${S.number(s[4], 4)}` : S.count(column.categories.length) + " categories";
    const details = S.el("details", { class: "numbers" }, S.el("summary", { "aria-label": "Distribution of " + S.clip(column.name, 60) }, histogram(column)));
    details.addEventListener("toggle", () => { if (details.childElementCount === 1) details.append(detail(column)); });
    return [S.el("span", { title: S.clip(column.name, 300) }, S.clip(column.name, 48)), column.kind, values, ...S.sets.map((_, set) => S.share(column.gaps[set] / Math.max(1, P.about.rows[set]))), ...(S.sets.length > 1 ? [driftText(column.drift)] : []), details];
  }
  S.drawColumnsPart = function () {
    const section = S.part("columns", "Columns", (S.sets.length > 1 ? "Bars are the data, lines the hold-out. Drift is the population stability index; from 0.1 on it is worth a look, from 0.25 on it is large." : "Values are least, median and largest.") + " A category that the model does not know counts as missing.");
    const heads = ["Column", "Kind", "Values", ...S.sets.map((name) => name + " gaps"), ...(S.sets.length > 1 ? ["Drift"] : []), "Distribution"];
    const order = P.columns.map((_, j) => j);
    if (S.sets.length > 1) order.sort((a, b) => P.columns[b].drift - P.columns[a].drift || a - b);
    section.append(S.table(heads, order.map((j) => row(P.columns[j])), { left: [0, 1, 2, heads.length - 1], caption: "Columns of the data" }));
  };
})(window.Spinney);
