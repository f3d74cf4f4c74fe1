// The model of the page: its payload, the place of the slider, and what the data add up to in each node.
(function (S) {
  "use strict";
  const P = (S.data = JSON.parse(document.getElementById("payload").textContent));
  const T = (S.tree = P.tree);
  const revive = (test) => {
    if (test.cuts) test.cuts = test.cuts.map(S.revive);
    if (test.tokens) test.tokens = test.tokens.map(([op, x]) => [op, S.revive(x)]);
  };
  Object.values(T.tests).forEach(revive);
  Object.values(T.surrogates).forEach((list) => list.forEach(revive));
  if (!T.labels) T.answers = T.answers.map(S.revive);

  S.isClasses = P.task === "classes";
  S.isLifetimes = P.task === "lifetimes";
  S.isRate = !S.isClasses && !S.isLifetimes && /^(poisson|gamma|tweedie)/.test(P.about.criterion);
  S.sets = P.about.rows.length > 1 ? ["Training", "Hold-out"] : ["Data"];
  S.isEnsemble = P.ensemble !== null;
  S.classText = (k) => S.clip(P.classes[k], 40);
  S.state = {
    step: P.path.selected,
    node: 0,
    positive: P.positive,
    threshold: null, // as the model decides
    costs: [1, 1], // of a false alarm, and of a miss
  };
  S.lastStep = P.path.leaves.length - 1;

  S.isLeaf = (node) => T.first[node] < 0 || T.step[node] <= S.state.step;
  S.children = function (node) {
    if (S.isLeaf(node)) return [];
    return Array.from({ length: T.count[node] }, (_, k) => T.first[node] + k);
  };
  S.depth = [];
  T.parent.forEach((above, node) => S.depth.push(above < 0 ? 0 : S.depth[above] + 1));
  S.pathTo = function (node) {
    const path = [];
    for (let at = node; at >= 0; at = T.parent[at]) path.unshift(at);
    return path;
  };

  // The leaf that stands for each node at the present size; -1 above the leaves.
  let standing = null, standingStep = -1;
  S.standing = function () {
    if (standingStep === S.state.step) return standing;
    standing = new Int32Array(T.parent.length).fill(-1);
    T.parent.forEach((above, node) => {
      if (above >= 0 && standing[above] >= 0) standing[node] = standing[above];
      else if (S.isLeaf(node)) standing[node] = node;
    });
    standingStep = S.state.step;
    return standing;
  };
  S.leaves = function () {
    const at = S.standing();
    return T.parent.map((_, node) => node).filter((node) => at[node] === node);
  };
  // Leaves from the first branch to the last, as a reader meets them.
  S.leavesInOrder = function () {
    const found = [], open = [0];
    while (open.length) {
      const node = open.pop();
      if (S.isLeaf(node)) found.push(node);
      else open.push(...S.children(node).reverse());
    }
    return found;
  };

  // -- Sums of the data sets in every node: class weights; or exposure, sum and squares of numbers, and rows

  S.sums = P.cells.sums.map((cells) => {
    const width = cells.length ? cells[0].length : 1;
    const sums = T.parent.map(() => new Array(width).fill(0));
    cells.forEach((own, c) => P.cells.leaves[c].forEach((leaf, i) => {
      const share = P.cells.shares[c][i];
      own.forEach((x, k) => { sums[leaf][k] += share * x; });
    }));
    for (let node = T.parent.length - 1; node > 0; node--) {
      sums[node].forEach((x, k) => { sums[T.parent[node]][k] += x; });
    }
    return sums;
  });
  S.weightOf = (set, node) => (S.isClasses ? S.sums[set][node].reduce((a, b) => a + b, 0) : S.sums[set][node][3]);
  S.exposureOf = (set, node) => S.sums[set][node][0];
  // What was counted in a node, or the events in it, and what its answer expects for its exposure.
  S.countedOf = (set, node) => { const own = S.sums[set][node]; return Math.max(0, P.centre * own[0] + own[1]); };
  S.expectedOf = (set, node) => T.answers[node] * S.exposureOf(set, node);
  S.meanOf = function (set, node) {
    const [weight, sum] = S.sums[set][node];
    return weight > 0 ? P.centre + sum / weight : NaN;
  };
  S.spreadOf = function (set, node) {
    const [weight, sum, squares] = S.sums[set][node];
    return weight > 0 ? Math.sqrt(Math.max(0, squares / weight - (sum / weight) ** 2)) : NaN;
  };
  S.sharesOf = function (set, node) {
    const total = S.weightOf(set, node);
    return S.sums[set][node].map((x) => (total > 0 ? x / total : 0));
  };

  // What the tree of the present size says to each cell: {probabilities, label} or {number}.
  S.cellAnswers = function () {
    const at = S.standing();
    return P.cells.leaves.map((leaves, c) => {
      const nodes = leaves.map((leaf) => at[leaf]);
      if (nodes.every((node) => node === nodes[0])) {
        const node = nodes[0];
        return T.labels ? { probabilities: T.answers[node], label: T.labels[node] } : { number: T.answers[node] };
      }
      return S.answer(T, P.cost, nodes.map((node, i) => ({ node: node, share: P.cells.shares[c][i] })));
    });
  };

  S.predictionText = (node) => (T.labels ? S.classText(T.labels[node]) : S.number(T.answers[node], 5));
  S.answerText = (answer) => ("number" in answer ? (S.isLifetimes ? "risk " : "") + S.number(answer.number, 6) : S.classText(answer.label));
  S.setStep = function (step) {
    S.state.step = Math.max(0, Math.min(S.lastStep, step));
    const at = S.standing();
    if (at[S.state.node] >= 0) S.state.node = at[S.state.node];
    S.emit("step");
    S.emit("node");
  };
  S.selectNode = function (node) {
    S.state.node = node;
    S.emit("node");
  };
})(window.Spinney);
