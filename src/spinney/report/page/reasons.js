// Reasons: which columns moved the answer to a row most, by Shapley values of the tree of the chosen size.
//
// At a node one player speaks for a row: the column of the test, of the surrogate that answers, or of the test again
// where the row goes by default. With the speaker in a coalition a row goes its own way, without it every way, by the
// share of training weight. For a leaf this is a product over players, which is worked out coalition size by size.
(function (S) {
  "use strict";
  const P = S.data, T = S.tree;
  const MOST = 4;
  const columnsOf = (test) => (test.tokens ? Array.from(new Set(test.tokens.filter(([op]) => op === "column").map(([, j]) => j))) : [test.column]);
  // An expression over one column is a test of that column.
  const playerOf = (test) => (columnsOf(test).length === 1 ? columnsOf(test)[0] : JSON.stringify(test.tokens));
  const speaker = (node, found) => (found.how === "shares" ? null : found.how === "surrogate" ? T.surrogates[node][found.surrogate] : T.tests[node]);

  // Sizes of coalitions of m - 1 others: k! (m - 1 - k)! / m!.
  function weights(m) {
    const found = [1 / m];
    for (let k = 1; k < m; k++) found.push(found[k - 1] * k / (m - k));
    return found;
  }
  // For each player of a leaf, what it adds: own is 1 where it keeps the row on the way to the leaf, else 0.
  function leafValues(players) {
    const size = weights(players.length);
    return players.map((player) => {
      let sums = [1];
      for (const other of players) {
        if (other === player) continue;
        const next = new Array(sums.length + 1).fill(0);
        sums.forEach((x, k) => { next[k] += x * other.share; next[k + 1] += x * other.own; });
        sums = next;
      }
      return (player.own - player.share) * sums.reduce((total, x, k) => total + x * size[k], 0);
    });
  }

  // What each column adds to each output (the classes, or the number), for encoded values.
  S.shapley = function (values) {
    const wide = (node) => (T.labels ? T.answers[node] : [T.answers[node]]);
    const found = P.columns.map(() => wide(0).map(() => 0));
    const open = [{ node: 0, weight: 1, players: [] }];
    while (open.length) {
      const { node, weight, players } = open.pop();
      if (S.isLeaf(node)) {
        const said = wide(node);
        leafValues(players).forEach((part, i) => {
          const own = columnsOf(players[i].test);
          own.forEach((j) => said.forEach((x, k) => { found[j][k] += weight * part * x / own.length; }));
        });
        continue;
      }
      const way = S.ask(T, node, values), test = speaker(node, way), total = S.children(node).reduce((sum, child) => sum + T.weight[child], 0);
      S.children(node).forEach((child, branch) => {
        const share = total > 0 ? T.weight[child] / total : 1 / T.count[node], own = branch === way.branch ? 1 : 0;
        const key = test === null ? null : playerOf(test);
        if (test === null) open.push({ node: child, weight: weight * share, players: players });
        else if (!columnsOf(test).length) open.push({ node: child, weight: weight * own, players: players });
        else if (!players.some((other) => other.key === key)) open.push({ node: child, weight: weight, players: players.concat({ key: key, test: test, share: share, own: own }) });
        else open.push({ node: child, weight: weight, players: players.map((other) => (other.key === key ? Object.assign({}, other, { share: other.share * share, own: other.own * own }) : other)) });
      });
    }
    return found;
  };

  // Up to four columns that spoke on the row's own way and moved the answer towards what it is.
  S.reasons = function (found) {
    const values = S.shapley(found.values), spoke = new Set();
    for (const step of found.steps) {
      const test = speaker(step.node, step);
      if (test) columnsOf(test).forEach((j) => spoke.add(j));
    }
    const low = !T.labels && values.reduce((sum, own) => sum + own[0], 0) < 0;
    const push = values.map((own) => (T.labels ? own[found.label] : low ? -own[0] : own[0]));
    return push.map((x, j) => ({ column: j, push: x })).filter((own) => spoke.has(own.column) && own.push > 0)
      .sort((a, b) => b.push - a.push || a.column - b.column).slice(0, MOST);
  };
  S.reasonText = function (column, valueText) {
    const name = P.columns[column].name, words = P.reasons && Object.hasOwn(P.reasons.words, name) ? P.reasons.words[name] : null;
    return words === null ? S.columnText(column) + " is " + valueText : S.clip(words.split("{value}").join(valueText), 200);
  };
  const amount = (x) => "+" + S.number(x, 3);
  S.reasonList = function (found, valueText) {
    const own = S.reasons(found);
    if (!own.length) return S.el("p", { class: "note" }, "No column moved the answer this way.");
    return S.el("ol", { class: "reasons" }, own.map(({ column, push }) => S.el("li", {}, S.reasonText(column, valueText(column, found.values[column])), S.el("span", { class: "note" }, " (" + amount(push) + ")"))));
  };

  S.drawReasonsPart = function () {
    const own = P.reasons;
    if (!own) return;
    const note = (S.isEnsemble ? "Of the ensemble itself. " : "Of the model as it was fitted. ") + `Columns that moved the answers of ${S.count(own.rows)} rows most, at most four a row, and only where a tree asked them on the row's way.`;
    const section = S.part("reasons", "Reasons", note);
    own.groups.forEach((group) => {
      const title = S.isClasses ? "For " + S.clip(group.label, 40) : "For answers that are " + group.label;
      const rows = group.columns.map(([j, first, named, moved]) => [S.columnText(j, 60), S.share(first / group.rows), S.share(named / group.rows), amount(moved), S.reasonText(j, "…")]);
      section.append(S.el("h3", {}, title), S.table(["Column", "First reason", "Among the reasons", "Moves the answer by", "In words"], rows, { left: [0, 4], caption: `Reasons ${title.toLowerCase()}: ${S.count(group.rows)} rows` }));
    });
  };
})(window.Spinney);
