// Measures from counts: pure functions of groups of rows with equal scores.
(function (S) {
  "use strict";
  const P = S.data;

  // Groups of equal probability of a class in a data set, highest first: {score, pos, neg}.
  S.scored = function (set, k) {
    const groups = new Map();
    const add = (score, pos, neg) => {
      const own = groups.get(score) || { score: score, pos: 0, neg: 0 };
      own.pos += pos;
      own.neg += neg;
      groups.set(score, own);
    };
    if (P.quality) {
      const own = P.quality.scored[k];
      own.score.forEach((score, i) => add(score, own.sums[set][0][i], own.sums[set][1][i]));
    } else {
      S.cellAnswers().forEach((answer, c) => {
        const sums = P.cells.sums[set][c];
        const total = sums.reduce((a, b) => a + b, 0);
        if (total > 0) add(answer.probabilities[k], sums[k], total - sums[k]);
      });
    }
    const found = [];
    for (const own of Array.from(groups.values()).filter((g) => g.pos + g.neg > 0).sort((a, b) => b.score - a.score)) {
      const last = found[found.length - 1];
      if (last && last.score - own.score < 1e-12) { // mixtures of leaves that differ by rounding only
        last.pos += own.pos;
        last.neg += own.neg;
      } else found.push(own);
    }
    return found;
  };
  S.hasScores = () => !P.quality || P.quality.scored !== null;

  // Cumulative counts from the highest score down, and what follows from them.
  S.curves = function (groups) {
    const pos = groups.reduce((sum, own) => sum + own.pos, 0);
    const neg = groups.reduce((sum, own) => sum + own.neg, 0);
    const points = [{ score: Infinity, tp: 0, fp: 0, tpr: 0, fpr: 0 }];
    let tp = 0, fp = 0, auc = 0, ap = 0, ks = 0, ksAt = NaN;
    for (const own of groups) {
      const [lastTp, lastFp] = [tp, fp];
      tp += own.pos;
      fp += own.neg;
      auc += ((tp + lastTp) / 2) * (fp - lastFp);
      if (tp > lastTp) ap += ((tp - lastTp) / pos) * (tp / (tp + fp));
      const point = { score: own.score, tp: tp, fp: fp, tpr: pos ? tp / pos : NaN, fpr: neg ? fp / neg : NaN };
      if (point.tpr - point.fpr > ks) [ks, ksAt] = [point.tpr - point.fpr, own.score];
      points.push(point);
    }
    const defined = pos > 0 && neg > 0;
    return {
      pos: pos, neg: neg, points: points,
      auc: defined ? auc / (pos * neg) : NaN,
      ap: pos > 0 ? ap : NaN,
      ks: defined ? ks : NaN, ksAt: ksAt,
    };
  };

  // Rows true by predicted when a class is said from a threshold on.
  S.atThreshold = function (groups, threshold) {
    const found = { tp: 0, fp: 0, fn: 0, tn: 0 };
    for (const own of groups) {
      const said = own.score >= threshold;
      found[said ? "tp" : "fn"] += own.pos;
      found[said ? "fp" : "tn"] += own.neg;
    }
    return found;
  };

  // The confusion matrix of the model's own labels: rows true, columns predicted.
  S.confusion = function (set) {
    if (P.quality) return P.quality.confusion[set];
    const matrix = P.classes.map(() => P.classes.map(() => 0));
    S.cellAnswers().forEach((answer, c) => P.cells.sums[set][c].forEach((x, k) => { matrix[k][answer.label] += x; }));
    return matrix;
  };
  S.errorOf = function (matrix) {
    let total = 0, wrong = 0, cost = 0;
    matrix.forEach((row, i) => row.forEach((x, j) => {
      total += x;
      if (i !== j) wrong += x;
      cost += x * (P.cost ? P.cost[i][j] : i === j ? 0 : 1);
    }));
    return { error: wrong / total, cost: cost / total, total: total };
  };

  // Mean predicted and observed share in groups of about equal weight; leaves are not divided.
  S.calibration = function (groups, most) {
    const total = groups.reduce((sum, own) => sum + own.pos + own.neg, 0);
    const found = [];
    let now = { weight: 0, predicted: 0, pos: 0 };
    groups.slice().reverse().forEach((own, i) => {
      const weight = own.pos + own.neg;
      now.weight += weight;
      now.predicted += weight * own.score;
      now.pos += own.pos;
      if (now.weight >= total / (most || 10) - 1e-9 || i === groups.length - 1) {
        found.push({ weight: now.weight, predicted: now.predicted / now.weight, observed: now.pos / now.weight });
        now = { weight: 0, predicted: 0, pos: 0 };
      }
    });
    return found;
  };
  S.brier = function (set) { // of two or more classes: mean sum of squares, as halves for two
    if (P.quality) return NaN;
    let total = 0, sum = 0;
    S.cellAnswers().forEach((answer, c) => P.cells.sums[set][c].forEach((x, k) => {
      total += x;
      sum += x * answer.probabilities.reduce((s, p, j) => s + (p - (j === k ? 1 : 0)) ** 2, 0);
    }));
    return sum / total / (P.classes.length === 2 ? 2 : 1);
  };
  // Drift of the leaves between the data sets: the population stability index.
  S.leafDrift = function () {
    if (S.sets.length < 2) return null;
    const totals = [0, 1].map((set) => S.weightOf(set, 0));
    return S.leaves().reduce((sum, leaf) => {
      const [p, q] = [0, 1].map((set) => Math.max(S.weightOf(set, leaf) / totals[set], 1e-4));
      return sum + (p - q) * Math.log(p / q);
    }, 0);
  };

  // -- Numbers: groups of equal prediction, lowest first: {answer, weight, mean, sd}

  S.numberGroups = function (set) {
    const groups = new Map();
    const add = (answer, own) => {
      const sums = groups.get(answer) || [0, 0, 0, 0];
      groups.set(answer, sums.map((x, i) => x + own[i]));
    };
    if (P.quality) P.quality.answers.forEach((answer, i) => add(answer, P.quality.sums[set][i]));
    else S.cellAnswers().forEach((answer, c) => add(answer.number, P.cells.sums[set][c]));
    return Array.from(groups, ([answer, [weight, sum, squares, rows]]) => ({
      answer: answer, weight: weight, sum: sum, squares: squares, rows: rows,
      mean: P.centre + sum / weight,
      sd: Math.sqrt(Math.max(0, squares / weight - (sum / weight) ** 2)),
    })).filter((own) => own.weight > 0).sort((a, b) => a.answer - b.answer);
  };
  S.numberMeasures = function (set) {
    const groups = S.numberGroups(set);
    let weight = 0, sum = 0, squares = 0, rest = 0, bias = 0, rows = 0;
    for (const own of groups) {
      const a = own.answer - P.centre;
      weight += own.weight;
      rows += own.rows;
      sum += own.sum;
      squares += own.squares;
      rest += own.squares - 2 * a * own.sum + a * a * own.weight;
      bias += a * own.weight - own.sum;
    }
    const spread = squares - (sum * sum) / weight;
    const loss = P.quality ? P.quality.losses[set] : (P.path.losses[set] || [])[S.state.step];
    return {
      weight: weight, rows: rows, mean: P.centre + sum / weight,
      rmse: Math.sqrt(Math.max(0, rest / weight)), r2: spread > 0 ? 1 - rest / spread : NaN,
      bias: bias / weight, loss: loss, d2: P.nulls[set] > 0 ? 1 - loss / P.nulls[set] : NaN,
    };
  };
  // What was observed by what was expected, with its interval of 95 %: of counts by their number, else by their spread.
  S.ratio = function (counted, expected, spread) {
    if (!(expected > 0)) return null;
    const error = spread === undefined ? Math.sqrt(Math.max(counted, 1)) : spread;
    return { value: counted / expected, low: Math.max(0, counted - 1.96 * error) / expected, high: (counted + 1.96 * error) / expected };
  };
  // Cumulative share of the target against share of the rows, from the highest prediction down.
  S.lorenz = function (set) {
    const groups = S.numberGroups(set).reverse();
    const weight = groups.reduce((s, own) => s + own.weight, 0);
    const total = groups.reduce((s, own) => s + own.weight * own.mean, 0);
    const points = [[0, 0]];
    let w = 0, y = 0;
    for (const own of groups) {
      w += own.weight;
      y += own.weight * own.mean;
      points.push([w / weight, y / total]);
    }
    return points;
  };
})(window.Spinney);
