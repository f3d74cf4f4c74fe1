// How good, for lifetimes: survival curves of the leaves, events by what was expected, and concordance.
(function (S) {
  "use strict";
  const P = S.data, T = S.tree, L = P.lifetimes;
  const MOST_CURVES = 8;
  const TIMES = [0.25, 0.5, 0.75, 1]; // shares of the last time, for tables

  // The points of a curve of steps, as far as anyone is at risk.
  function steps(curve) {
    const points = [[0, 1]];
    let last = 1;
    for (let k = 0; k < L.times.length && curve.risk[k] > 0; k++) {
      points.push([L.times[k], last], [L.times[k], curve.survival[k]]);
      last = curve.survival[k];
    }
    return points;
  }
  S.survivalChart = function (title, curves) {
    return S.chart({ title: title, series: curves.map((own) => ({ name: own.name, end: own.end, kind: "line", points: steps(own.curve), cls: own.cls, set: own.set })), x: { label: "time", domain: [0, L.times[L.times.length - 1]], format: (v) => S.number(v, 3) }, y: { label: "without the event", domain: [0, 1], format: (v) => S.share(v, 0) } });
  };
  S.curveOf = (set, node) => L.curves[set][node];
  S.medianText = (curve) => (curve.median === null ? "not reached" : S.number(curve.median, 4));
  // The curve of a node beside that of all rows.
  S.nodeSurvival = function (node) {
    const own = [{ name: node ? "Here" : "All rows", curve: S.curveOf(0, node), set: 0 }];
    if (node) own.push({ name: "All rows", curve: S.curveOf(0, 0), set: 2 });
    return S.survivalChart("Survival (Kaplan-Meier)", own);
  };

  function measures() {
    const own = P.quality && P.quality.groups, found = S.sets.map((_, set) => S.numberMeasures(set)), row = (name, cell) => [name, ...found.map(cell)];
    const rows = [row("Rows, by weight", (m) => S.count(m.rows)), row("Events", (m) => S.count(m.weight * m.mean)),
      ["Concordance (Harrell)", ...S.sets.map((_, set) => S.fixed(own ? own.concordance[set] : L.concordance[set][S.state.step], 3))],
      row("Mean deviance (exponential)", (m) => S.number(2 * m.loss, 5)), row("D squared: deviance explained", (m) => S.fixed(m.d2, 3)),
      ["Median time to the event, all rows", ...S.sets.map((_, set) => S.medianText(S.curveOf(set, 0)))]];
    const drift = S.leafDrift();
    if (drift !== null && !S.isEnsemble) rows.push(["Stability index of the leaves (PSI)", "", S.fixed(drift, 3)]);
    return S.table(["Measure", ...S.sets], rows, { caption: "Measures" });
  }
  const placeOf = (share) => (L ? L.times : [0]).findIndex((t) => t >= share * (L ? L.times[L.times.length - 1] : 0) - 1e-12);
  const places = Array.from(new Set(TIMES.map(placeOf)));
  const curveHeads = ["Median", ...places.map((k) => "At " + S.number(L ? L.times[k] : 0, 3))];
  const curveCells = (curve) => [S.medianText(curve), ...places.map((k) => (curve.risk[k] > 0 ? S.share(curve.survival[k], 0) : "–"))];

  // Leaves, or groups of like risk, from the highest risk down.
  function groups() {
    const own = P.quality && P.quality.groups;
    if (own) {
      const names = own.curves[0].map((_, g) => "risk " + (g === 0 ? "up to " + S.number(own.cuts[0], 3) : g === own.cuts.length ? "above " + S.number(own.cuts[g - 1], 3) : S.number(own.cuts[g - 1], 3) + " to " + S.number(own.cuts[g], 3)));
      return names.map((name, g) => ({ name: name, end: "group " + (g + 1), rule: name, curves: S.sets.map((_, set) => own.curves[set][g]) })).reverse();
    }
    const order = S.leavesInOrder().sort((a, b) => T.answers[b] - T.answers[a] || a - b);
    return order.map((leaf) => ({ name: "leaf " + leaf + ", risk " + S.number(T.answers[leaf], 3), end: "leaf " + leaf, rule: S.ruleText(leaf), weight: S.weightOf(0, leaf), curves: S.sets.map((_, set) => S.curveOf(set, leaf)) }));
  }
  function survival() {
    const all = groups(), largest = new Set(all.slice().sort((a, b) => b.weight - a.weight).slice(0, MOST_CURVES));
    const shown = all.length > MOST_CURVES ? all.filter((own) => largest.has(own)) : all;
    const table = (set) => () => S.table([P.quality ? "Group" : "Leaf", "If", "Events", ...curveHeads, "At risk at the start"], all.map((own) => [own.end, own.rule, S.count(own.curves[set].events), ...curveCells(own.curves[set]), S.count(own.curves[set].risk[0])]), { left: [0, 1], caption: "Survival, " + S.sets[set] });
    const note = all.length > MOST_CURVES ? `The ${MOST_CURVES} largest of ${S.count(all.length)} leaves; the table has all.` : null;
    return S.sets.map((name, set) => {
      const title = "Survival (Kaplan-Meier) by " + (P.quality ? "risk" : "leaf") + (S.sets.length > 1 ? ": " + name : "");
      return S.figure(title, S.survivalChart(title, shown.map((own, k) => ({ name: own.name, end: own.end, cls: "curve" + k, curve: own.curves[set] }))), table(set), note);
    });
  }
  function events() {
    return S.byLeaf("Events by leaf: observed by expected", { answer: "Risk", counted: "Events", axis: "events by those expected, with 95 % intervals" }, (set, leaf) => S.ratio(S.countedOf(set, leaf), S.expectedOf(set, leaf)),
      { heads: curveHeads, cells: (set, leaf) => curveCells(S.curveOf(set, leaf)) });
  }
  S.drawLifetimeQuality = function () {
    const section = S.part("quality", "How good", S.numberLead() + " A risk of 2 is twice the hazard of all rows. Concordance is the share of pairs whose risks are in the order of their events; 0.5 is chance.");
    S.renewing(section, () => [measures(), S.el("div", { class: "charts large" }, survival(), S.bySize("Concordance by size", "concordance", L.concordance, (v) => S.fixed(v, 3)), S.bySize("Deviance by size", "mean deviance", (P.path.losses || []).map((list) => list && list.map((x) => 2 * x)), (v) => S.number(v, 5))), S.isEnsemble ? null : events()]);
  };
})(window.Spinney);
