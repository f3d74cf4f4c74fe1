// How good, for numbers: counts, amounts and measurements. Survival gets a file of its own beside this one.
(function (S) {
  "use strict";
  const P = S.data;
  const isRate = /^(poisson|gamma|tweedie)/.test(P.about.criterion);
  let holder;

  function measures() {
    const found = S.sets.map((_, set) => S.numberMeasures(set));
    const rows = [["Rows, by weight" + (P.about.exposed ? " and exposure" : ""), ...found.map((m) => S.count(m.weight))], [isRate ? "Observed rate" : "Observed mean", ...found.map((m) => S.number(m.mean, 5))],
      ["Root mean squared error", ...found.map((m) => S.number(m.rmse, 5))], ["R squared", ...found.map((m) => S.fixed(m.r2, 3))], ["Bias, predicted less observed", ...found.map((m) => S.number(Math.abs(m.bias) < 1e-12 * Math.max(1, m.rmse) ? 0 : m.bias, 3))]];
    if (found[0].loss !== undefined && P.about.criterion !== "squared_error") {
      rows.push(["Mean loss by " + S.clip(P.about.criterion, 30), ...found.map((m) => S.number(m.loss, 5))]);
      if (isRate) rows.push(["D squared", ...found.map((m) => S.fixed(m.d2, 3))]);
    }
    const drift = S.leafDrift();
    if (drift !== null && !S.isEnsemble) rows.push(["Stability index of the leaves (PSI)", "", S.fixed(drift, 3)]);
    return S.table(["Measure", ...S.sets], rows, { caption: "Measures" });
  }
  function against() {
    const groups = S.sets.map((_, set) => S.numberGroups(set)), most = Math.max(...groups.flat().map((own) => own.weight));
    const ends = groups.flat().flatMap((own) => [own.answer]), low = Math.min(...ends), high = Math.max(...ends);
    const text = (own) => `predicted ${S.number(own.answer, 5)}, observed ${S.number(own.mean, 5)}, ${S.count(own.weight)} rows`;
    const title = isRate ? "Observed and predicted rates" : "Observed and predicted means";
    return S.figure(title, S.chart({ title: title, lines: low < high ? [[[low, low], [high, high]]] : [], series: groups.map((list, set) => ({ name: S.sets[set], kind: "marks", set: set, points: list.map((own) => [own.answer, own.mean, text(own), 3 + 6 * Math.sqrt(own.weight / most)]), bars: isRate || S.isEnsemble ? [] : list.map((own) => [own.answer, own.mean - own.sd, own.mean + own.sd]) })),
      x: { label: "predicted", format: (v) => S.number(v, 3) }, y: { label: "observed" + (isRate || S.isEnsemble ? "" : " ± std. deviation"), format: (v) => S.number(v, 3) } }),
    () => S.table(["Data", "Predicted", "Observed", "Std. deviation", "Rows"], groups.flatMap((list, set) => list.map((own) => [S.sets[set], S.number(own.answer, 5), S.number(own.mean, 5), S.number(own.sd, 4), S.count(own.weight)])), { caption: title }));
  }
  function gains() {
    const curves = S.sets.map((_, set) => S.lorenz(set)), percent = { domain: [0, 1], format: (v) => S.share(v, 0) };
    if (curves.flat().some(([, y]) => !(y >= -1e-9 && y <= 1 + 1e-9))) return null; // of numbers below zero there is no share
    return S.figure("Share of the total by rows", S.chart({ title: "Share of the total by rows", lines: [[[0, 0], [1, 1]]], series: curves.map((points, set) => ({ name: S.sets[set], points: points, kind: "line", set: set })), x: { label: "rows, highest predictions first", ...percent }, y: { label: "share of the total", ...percent } }),
      () => S.table(["Data", "Rows", "Share of the total"], curves.flatMap((points, set) => points.filter((_, i) => i % Math.ceil(points.length / 40) === 0 || i === points.length - 1).map(([x, y]) => [S.sets[set], S.share(x), S.share(y)])), { caption: "Share of the total by rows" }));
  }
  function lossBySize() {
    const own = (P.path.losses || []).map((list, set) => ({ name: S.sets[set], set: set, kind: "both", points: (list || []).map((loss, k) => [P.path.leaves[k], loss]) })).filter((s) => s.points.length > 1);
    if (!own.length || S.isEnsemble) return null;
    return S.figure("Loss by size", S.chart({ title: "Loss by size", series: own, x: { label: "leaves", format: S.count }, y: { label: "mean loss", format: (v) => S.number(v, 3) }, marks: [[P.path.leaves[S.state.step], P.path.losses[own[own.length - 1].set][S.state.step], "shown"]] }),
      () => S.table(["Leaves", ...own.map((s) => s.name)], P.path.leaves.map((n, k) => [S.count(n), ...own.map((s) => S.number(s.points[k][1], 5))]), { caption: "Loss by size" }));
  }
  function renew() {
    const open = Array.from(holder.querySelectorAll("details.numbers")).map((own) => own.open);
    S.clear(holder, measures(), S.el("div", { class: "charts" }, against(), gains(), lossBySize()));
    holder.querySelectorAll("details.numbers").forEach((own, i) => { if (open[i]) own.open = true; });
  }
  S.drawNumberQuality = function () {
    const section = S.part("quality", "How good", S.isEnsemble ? "Measures of the ensemble itself, in groups of like predictions." : "Measures of the tree of the size chosen, leaf by leaf." + (S.sets.length > 1 ? "" : " No hold-out was given, so they flatter the model."));
    holder = S.el("div");
    section.append(holder);
    renew();
    S.on("step", renew);
  };
})(window.Spinney);
