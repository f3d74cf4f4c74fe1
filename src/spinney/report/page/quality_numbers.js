// How good, for numbers: measurements, counts and amounts. Lifetimes have a file of their own beside this one.
(function (S) {
  "use strict";
  const P = S.data, T = S.tree;
  const MOST_LEAVES = 24; // in the picture of ratios
  const percent = { domain: [0, 1], format: (v) => S.share(v, 0) };
  const isCount = /^poisson/.test(P.about.criterion);

  function measures() {
    const found = S.sets.map((_, set) => S.numberMeasures(set)), row = (name, cell) => [name, ...found.map(cell)];
    const rows = [row("Rows, by weight", (m) => S.count(m.rows))];
    if (P.about.exposed) rows.push(row("Exposure", (m) => S.count(m.weight)));
    rows.push(row(S.isRate ? "Observed rate" : "Observed mean", (m) => S.number(m.mean, 5)));
    if (S.isRate) {
      rows.push(row("Predicted by observed total", (m) => S.fixed(1 + m.bias / m.mean, 3)), row("Mean deviance", (m) => S.number(2 * m.loss, 5)), row("D squared: deviance explained", (m) => S.fixed(m.d2, 3)));
    } else {
      rows.push(row("Root mean squared error", (m) => S.number(m.rmse, 5)), row("R squared", (m) => S.fixed(m.r2, 3)), row("Bias, predicted less observed", (m) => S.number(Math.abs(m.bias) < 1e-12 * Math.max(1, m.rmse) ? 0 : m.bias, 3)));
      if (found[0].loss !== undefined && P.about.criterion !== "squared_error") rows.push(row("Mean loss by " + S.clip(P.about.criterion, 30), (m) => S.number(m.loss, 5)));
    }
    const drift = S.leafDrift();
    if (drift !== null && !S.isEnsemble) rows.push(["Stability index of the leaves (PSI)", "", S.fixed(drift, 3)]);
    return S.table(["Measure", ...S.sets], rows, { caption: "Measures" });
  }

  // Half the width of an interval of 95 % about the observed mean of a group.
  const half = (own) => (1.96 * (isCount ? Math.sqrt(own.weight * own.mean) / own.weight : own.sd / Math.sqrt(own.rows)));
  function against() {
    const groups = S.sets.map((_, set) => S.numberGroups(set)), most = Math.max(...groups.flat().map((own) => own.weight));
    const ends = groups.flat().map((own) => own.answer), low = Math.min(...ends), high = Math.max(...ends);
    const size = (own) => (P.about.exposed ? S.count(own.weight) + " exposed, " : "") + S.count(own.rows) + " rows";
    const text = (own) => `predicted ${S.number(own.answer, 5)}, observed ${S.number(own.mean, 5)}, ${size(own)}`;
    const title = S.isRate ? "Calibration: observed and predicted rates" : "Observed and predicted means";
    const spread = S.isEnsemble ? () => 0 : S.isRate ? half : (own) => own.sd;
    return S.figure(title, S.chart({ title: title, lines: low < high ? [[[low, low], [high, high]]] : [], series: groups.map((list, set) => ({ name: S.sets[set], kind: "marks", set: set, points: list.map((own) => [own.answer, own.mean, text(own), 3 + 6 * Math.sqrt(own.weight / most)]), bars: S.isEnsemble ? [] : list.map((own) => [own.answer, own.mean - spread(own), own.mean + spread(own)]) })),
      x: { label: "predicted", format: (v) => S.number(v, 3) }, y: { label: "observed" + (S.isEnsemble ? "" : S.isRate ? ", with 95 % intervals" : " ± std. deviation"), format: (v) => S.number(v, 3) } }),
    () => S.table(["Data", "Predicted", "Observed", S.isRate ? "95 % ±" : "Std. deviation", ...(P.about.exposed ? ["Exposure"] : []), "Rows"], groups.flatMap((list, set) => list.map((own) => [S.sets[set], S.number(own.answer, 5), S.number(own.mean, 5), S.number(S.isRate ? half(own) : own.sd, 4), ...(P.about.exposed ? [S.count(own.weight)] : []), S.count(own.rows)])), { caption: title }));
  }
  function leafRatio(set, leaf) {
    const weight = S.exposureOf(set, leaf), counted = S.countedOf(set, leaf);
    return S.ratio(counted, S.expectedOf(set, leaf), isCount ? undefined : (weight * S.spreadOf(set, leaf)) / Math.sqrt(Math.max(1, S.weightOf(set, leaf))));
  }
  // Leaf by leaf: what was counted by what the leaf expects for its exposure.
  S.byLeaf = function (title, words, ratio, more) {
    const leaves = S.leavesInOrder().sort((a, b) => T.answers[b] - T.answers[a] || a - b), risk = leaves.reduce((sum, leaf) => sum + T.risk[leaf], 0);
    const shown = leaves.length <= MOST_LEAVES ? leaves : leaves.slice().sort((a, b) => S.weightOf(0, b) - S.weightOf(0, a)).slice(0, MOST_LEAVES).sort((a, b) => T.answers[b] - T.answers[a] || a - b);
    const rows = shown.map((leaf) => ({ name: `leaf ${leaf}, ${words.answer.toLowerCase()} ${S.number(T.answers[leaf], 3)}`, rule: S.ruleText(leaf), ratios: S.sets.map((_, set) => ratio(set, leaf)) }));
    const cells = (set, leaf) => { const own = ratio(set, leaf); return [S.count(S.countedOf(set, leaf)), S.count(S.expectedOf(set, leaf)), own ? S.fixed(own.value, 2) : "–", own ? S.fixed(own.low, 2) + " – " + S.fixed(own.high, 2) : "–"]; };
    const table = () => S.table(["Leaf", "If", words.answer, "Data", "Rows", ...(P.about.exposed ? ["Exposure"] : []), words.counted, "Expected", "Ratio", "95 %", "Share of the deviance", ...more.heads], leaves.flatMap((leaf) => S.sets.map((name, set) => [String(leaf), S.ruleText(leaf), S.number(T.answers[leaf], 4), name, S.count(S.weightOf(set, leaf)), ...(P.about.exposed ? [S.count(S.exposureOf(set, leaf))] : []), ...cells(set, leaf), set ? "" : S.share(risk > 0 ? T.risk[leaf] / risk : NaN), ...more.cells(set, leaf)])), { left: [0, 1, 3], caption: title });
    return S.figure(title, S.ratios(rows, words.axis), table, leaves.length > MOST_LEAVES ? `The ${MOST_LEAVES} largest of ${S.count(leaves.length)} leaves.` : null);
  };
  const rates = () => S.byLeaf("Calibration by leaf", { answer: "Rate", counted: isCount ? "Counted" : "Amount", axis: "observed by expected, with 95 % intervals" }, leafRatio, { heads: [], cells: () => [] });

  function gains() {
    const curves = S.sets.map((_, set) => S.lorenz(set)), what = P.about.exposed ? "exposure" : "rows", title = "Share of the total by " + what;
    if (curves.flat().some(([, y]) => !(y >= -1e-9 && y <= 1 + 1e-9))) return null; // of numbers below zero there is no share
    return S.figure(title, S.chart({ title: title, lines: [[[0, 0], [1, 1]]], series: curves.map((points, set) => ({ name: S.sets[set], points: points, kind: "line", set: set })), x: { label: what + ", highest predictions first", ...percent }, y: { label: "share of the total", ...percent } }),
      () => S.table(["Data", what === "rows" ? "Rows" : "Exposure", "Share of the total"], curves.flatMap((points, set) => points.filter((_, i) => i % Math.ceil(points.length / 40) === 0 || i === points.length - 1).map(([x, y]) => [S.sets[set], S.share(x), S.share(y)])), { caption: title }));
  }
  // A measure for every size of the tree, the present one marked.
  S.bySize = function (title, label, lists, format) {
    const own = lists.map((list, set) => ({ name: S.sets[set], set: set, kind: list && list.length > 25 ? "line" : "both", points: (list || []).map((value, k) => [P.path.leaves[k], value]).filter(([, value]) => value !== null) })).filter((s) => s.points.length > 1);
    if (!own.length || S.isEnsemble) return null;
    return S.figure(title, S.chart({ title: title, series: own, x: S.sizeAxis(), y: { label: label, format: (v) => S.number(v, 3) }, marks: own.map((s) => [P.path.leaves[S.state.step], lists[s.set][S.state.step], "shown"]) }),
      () => S.table(["Leaves", ...own.map((s) => s.name)], P.path.leaves.map((n, k) => [S.count(n), ...own.map((s) => format(lists[s.set][k]))]), { caption: title }));
  };
  const doubled = (list) => list && list.map((loss) => 2 * loss);
  const losses = () => (S.isRate ? S.bySize("Deviance by size", "mean deviance", (P.path.losses || []).map(doubled), (v) => S.number(v, 5)) : S.bySize("Loss by size", "mean loss", P.path.losses || [], (v) => S.number(v, 5)));

  // Draws what depends on the size of the tree, keeping tables open.
  S.renewing = function (section, draw) {
    const own = S.el("div");
    const renew = () => {
      const open = Array.from(own.querySelectorAll("details.numbers")).map((details) => details.open);
      S.clear(own, draw());
      own.querySelectorAll("details.numbers").forEach((details, i) => { if (open[i]) details.open = true; });
    };
    section.append(own);
    renew();
    S.on("step", renew);
  };
  S.numberLead = () => (S.isEnsemble ? "Measures of the ensemble itself, in groups of like predictions." : "Measures of the tree of the size chosen, leaf by leaf.") + (S.sets.length > 1 ? "" : " No hold-out was given, so they flatter the model.");
  S.drawNumberQuality = function () {
    S.renewing(S.part("quality", "How good", S.numberLead()), () => [measures(), S.isRate && !S.isEnsemble ? rates() : null, S.el("div", { class: "charts" }, against(), gains(), losses())]);
  };
})(window.Spinney);
