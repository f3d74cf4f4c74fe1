// How good, for classes: confusion, costs and curves from counts, with a threshold and costs to move.
(function (S) {
  "use strict";
  const P = S.data;
  let holder, numbers, thresholdInput, thresholdSays;
  const percent = { domain: [0, 1], format: (v) => S.share(v, 0) };
  const series = (curves, points, kind) => curves.map((own, set) => ({ name: S.sets[set], points: points(own), kind: kind || "line", set: set }));
  const now = () => S.sets.map((_, set) => S.scored(set, S.state.positive));

  // The threshold at which the model itself decides between two classes.
  S.ownThreshold = function () {
    if (P.classes.length !== 2 || !P.cost) return 0.5;
    const k = S.state.positive, alarm = P.cost[1 - k][k], miss = P.cost[k][1 - k];
    return alarm + miss > 0 ? alarm / (alarm + miss) : 0.5;
  };

  // -- Confusion and costs

  function confusionTables() {
    if (S.state.threshold === null) {
      return S.sets.map((name, set) => {
        const matrix = S.confusion(set), { error, cost } = S.errorOf(matrix);
        const shown = P.classes.slice(0, 30).map((_, k) => k);
        return S.el("div", {}, S.el("h3", {}, name), S.table(["True \\ predicted", ...shown.map((k) => S.clip(P.classes[k], 16))], shown.map((i) => [S.clip(P.classes[i], 24), ...shown.map((j) => S.count(matrix[i][j]))]), { caption: name + ": true classes down, predicted across" }),
          S.el("p", { class: "measure" }, "Error ", S.el("strong", {}, S.share(error)), P.cost ? [" · cost per row ", S.el("strong", {}, S.number(cost, 4))] : null));
      });
    }
    const groups = now(), name = S.classText(S.state.positive);
    return S.sets.map((set, i) => {
      const c = S.atThreshold(groups[i], S.state.threshold), all = c.tp + c.fp + c.fn + c.tn;
      const [alarm, miss] = S.state.costs;
      return S.el("div", {}, S.el("h3", {}, set), S.table(["True \\ predicted", S.clip(name, 16), "other"], [[S.clip(name, 24), S.count(c.tp), S.count(c.fn)], ["other", S.count(c.fp), S.count(c.tn)]], { caption: set + " at the threshold" }),
        S.el("p", { class: "measure" }, "Error ", S.el("strong", {}, S.share((c.fp + c.fn) / all)), " · recall ", S.el("strong", {}, S.share(c.tp / (c.tp + c.fn))), " · precision ", S.el("strong", {}, c.tp + c.fp ? S.share(c.tp / (c.tp + c.fp)) : "–"), " · said ", S.el("strong", {}, S.share((c.tp + c.fp) / all)), " · cost per row ", S.el("strong", {}, S.number((alarm * c.fp + miss * c.fn) / all, 4))));
    });
  }
  function measureTable(curves) {
    const rows = [["Area under ROC", ...curves.map((own) => S.fixed(own.auc, 3))], ["Gini (2 AUC − 1)", ...curves.map((own) => S.fixed(2 * own.auc - 1, 3))], ["KS", ...curves.map((own) => S.fixed(own.ks, 3))], ["KS at probability", ...curves.map((own) => S.fixed(own.ksAt, 3))], ["Average precision", ...curves.map((own) => S.fixed(own.ap, 3))], ["Share of the class", ...curves.map((own) => S.share(own.pos / (own.pos + own.neg)))]];
    const brier = S.sets.map((_, set) => S.brier(set));
    if (!Number.isNaN(brier[0])) rows.push(["Brier score", ...brier.map((x) => S.fixed(x, 4))]);
    const drift = S.leafDrift();
    if (drift !== null) rows.push(["Stability index of the leaves (PSI)", "", S.fixed(drift, 3)]);
    return S.table(["Measure", ...S.sets], rows, { caption: "Measures for " + S.classText(S.state.positive) });
  }

  // -- Curves, each with its table

  const thin = (list) => { const step = Math.ceil(list.length / 60); return list.filter((_, i) => i % step === 0 || i === list.length - 1); };
  const figure = (title, chart, table) => S.figure(title, S.chart(Object.assign({ title: title }, chart)), table);
  function threshMarks(curves, x, y) {
    if (S.state.threshold === null) return [];
    return curves.map((own) => { const at = own.points.filter((p) => p.score >= S.state.threshold).pop() || own.points[0]; return [x(at, own), y(at, own), "at the threshold"]; }).filter((m) => Number.isFinite(m[0]) && Number.isFinite(m[1]));
  }
  function charts(curves, groups) {
    const points = curves.map((own) => own.points), name = S.classText(S.state.positive);
    const all = (p, own) => (p.tp + p.fp) / (own.pos + own.neg), precision = (p) => (p.tp + p.fp ? p.tp / (p.tp + p.fp) : NaN);
    const of = (x, y) => series(curves, (own) => own.points.map((p) => [x(p, own), y(p, own), "probability ≥ " + S.fixed(p.score, 3)]));
    const tabled = (heads, cells) => () => S.table(["Data", "Probability ≥", ...heads], curves.flatMap((own, set) => thin(own.points.slice(1)).map((p) => [S.sets[set], S.fixed(p.score, 4), ...cells(p, own)])), { caption: heads.join(", ") });
    const bins = groups.map((own) => S.calibration(own, 10)), most = Math.max(...bins.flat().map((b) => b.weight));
    return [
      figure("ROC curve", { series: of((p) => p.fpr, (p) => p.tpr), lines: [[[0, 0], [1, 1]]], marks: threshMarks(curves, (p) => p.fpr, (p) => p.tpr), x: { label: "others said to be " + S.clip(name, 20), ...percent }, y: { label: S.clip(name, 24) + " found", ...percent } }, tabled(["false alarms", "found"], (p) => [S.share(p.fpr), S.share(p.tpr)])),
      figure("Precision and recall", { series: of((p) => p.tpr, precision), marks: threshMarks(curves, (p) => p.tpr, precision), x: { label: "recall", ...percent }, y: { label: "precision", ...percent } }, tabled(["recall", "precision"], (p) => [S.share(p.tpr), S.share(precision(p))])),
      figure("Gains", { series: of(all, (p) => p.tpr), lines: [[[0, 0], [1, 1]]], marks: threshMarks(curves, all, (p) => p.tpr), x: { label: "rows, most likely first", ...percent }, y: { label: S.clip(name, 24) + " found", ...percent } }, tabled(["rows", "found"], (p, own) => [S.share(all(p, own)), S.share(p.tpr)])),
      figure("Lift", { series: series(curves, (own) => own.points.slice(1).map((p) => [all(p, own), p.tpr / all(p, own)]), "both"), lines: [[[0, 1], [1, 1]]], x: { label: "rows, most likely first", ...percent }, y: { label: "times the average", format: (v) => S.number(v, 3) } }, tabled(["rows", "lift"], (p, own) => [S.share(all(p, own)), S.fixed(p.tpr / all(p, own), 2)])),
      figure("KS: found less false alarms", { series: of((p) => (Number.isFinite(p.score) ? p.score : 1), (p) => p.tpr - p.fpr), x: { label: "threshold", ...percent }, y: { label: "difference", format: (v) => S.share(v, 0) } }, tabled(["difference"], (p) => [S.share(p.tpr - p.fpr)])),
      figure("Calibration", { series: bins.map((own, set) => ({ name: S.sets[set], kind: "marks", set: set, points: own.map((b) => [b.predicted, b.observed, S.count(b.weight) + " rows", 3 + 6 * Math.sqrt(b.weight / most)]) })), lines: [[[0, 0], [1, 1]]], x: { label: "predicted probability", ...percent }, y: { label: "observed share", ...percent } },
        () => S.table(["Data", "Predicted", "Observed", "Rows"], bins.flatMap((own, set) => own.map((b) => [S.sets[set], S.share(b.predicted), S.share(b.observed), S.count(b.weight)])), { caption: "Calibration" })),
    ];
  }
  function renew() {
    const groups = S.hasScores() ? now() : null, curves = groups ? groups.map(S.curves) : [];
    const open = Array.from(holder.querySelectorAll("details.numbers")).map((own) => own.open);
    S.clear(numbers, S.el("div", { class: "pair" }, confusionTables()));
    S.clear(holder, groups ? [measureTable(curves), S.el("div", { class: "charts" }, charts(curves, groups))] : S.el("p", { class: "note" }, "This model has no probabilities."));
    holder.querySelectorAll("details.numbers").forEach((own, i) => { if (open[i]) own.open = true; });
    const t = S.state.threshold;
    thresholdInput.value = t === null ? S.ownThreshold() : t;
    thresholdSays.textContent = t === null ? "as the model decides" : "say " + S.classText(S.state.positive) + " from " + S.fixed(t, 3) + " on";
  }
  S.setThreshold = function (value) {
    S.state.threshold = value;
    renew();
  };

  // -- Controls

  function controls() {
    const positive = S.el("select", { id: "positive" }, P.classes.slice(0, P.quality && P.quality.scored ? P.quality.scored.length : P.classes.length).map((_, k) => S.el("option", { value: k }, S.classText(k))));
    positive.value = S.state.positive;
    positive.addEventListener("change", () => { S.state.positive = Number(positive.value); S.state.threshold = null; renew(); });
    thresholdInput = S.el("input", { type: "range", id: "threshold", min: 0, max: 1, step: 0.005 });
    thresholdInput.addEventListener("input", () => S.setThreshold(Number(thresholdInput.value)));
    thresholdSays = S.el("output", { for: "threshold", id: "threshold-says" });
    const cost = (id, i, text) => {
      const input = S.el("input", { id: id, type: "number", min: 0, step: "any", value: S.state.costs[i] });
      input.addEventListener("input", () => { S.state.costs[i] = Math.max(0, Number(input.value) || 0); cheapest(); });
      return S.el("span", { class: "field" }, S.el("label", { for: id }, text), input);
    };
    const cheapest = () => { const [a, m] = S.state.costs; if (a + m > 0) S.setThreshold(a / (a + m)); };
    const note = P.classes.length > 2 ? "One class against all others." : null;
    return S.el("div", { class: "controls" }, S.el("span", { class: "field" }, S.el("label", { for: "positive" }, "Class to look at"), positive),
      S.el("span", { class: "field wide" }, S.el("label", { for: "threshold" }, "Threshold"), thresholdInput, thresholdSays),
      cost("cost-alarm", 0, "Cost of a false alarm"), cost("cost-miss", 1, "Cost of a miss"),
      S.el("button", { type: "button", title: "The threshold of least expected cost", onclick: cheapest }, "Cheapest threshold"), S.el("button", { type: "button", onclick: () => S.setThreshold(null) }, "As the model decides"), note ? S.el("span", { class: "note" }, note) : null);
  }
  S.drawQualityPart = function () {
    if (S.isLifetimes) return S.drawLifetimeQuality();
    if (!S.isClasses) return S.drawNumberQuality();
    if (P.cost && P.classes.length === 2) { const k = S.state.positive; S.state.costs = [P.cost[1 - k][k], P.cost[k][1 - k]]; }
    const whose = S.isEnsemble ? "Measures of the ensemble itself" : "Measures of the tree of the size chosen";
    const section = S.part("quality", "How good", whose + (P.about.rows.length > 1 ? ", on the data that were given and on the hold-out." : ", on the data that were given: no hold-out was, so they flatter the model.") + (P.cells.lumped ? " " + S.count(P.cells.lumped) + " rows with rare mixtures of gaps count by their shares." : ""));
    numbers = S.el("div");
    holder = S.el("div");
    section.append(S.hasScores() ? controls() : (controls(), ""), numbers, holder);
    renew();
    S.on("step", renew);
  };
})(window.Spinney);
