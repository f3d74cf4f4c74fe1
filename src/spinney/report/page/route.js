// Rows through the tree, exactly as the model sends them. Nothing here touches the page.
//
// A test is {column, cuts, back}, {column, groups} or {tokens, back}: see the payload. Its answer is the
// place of a child, or -1 where it cannot tell: a gap, or a category that it does not know.
(function (S) {
  "use strict";
  // Factors as exact hexadecimal numbers, those of the core.
  function hex(text) {
    const [, sign, digits, power] = /^(-?)0x1\.([0-9a-f]{13})p([+-]?\d+)$/.exec(text);
    return (sign ? -1 : 1) * (1 + parseInt(digits, 16) / 2 ** 52) * 2 ** Number(power);
  }
  const SERIES = [
    "0x1.71b8ef6dcf572p-66", "-0x1.2f49b46814157p-57", "0x1.952c77030ad4ap-49", "-0x1.ae7f3e733b81fp-41",
    "0x1.6124613a86d09p-33", "-0x1.ae64567f544e4p-26", "0x1.71de3a556c734p-19", "-0x1.a01a01a01a01ap-13",
    "0x1.1111111111111p-7", "-0x1.5555555555555p-3"].map(hex);
  const INVERSE_PI = hex("0x1.45f306dc9c883p-2");
  const PI = ["0x1.921fb54400000p+1", "0x1.0b4611a600000p-33", "0x1.3198a2e037073p-68"].map(hex);
  const SHIFT = 1.5 * 2 ** 52;

  function sine(x) {
    if (!(Math.abs(x) < 1e6)) return Math.abs(x) < Infinity ? Math.sin(x) : NaN;
    const n = x * INVERSE_PI + SHIFT - SHIFT;
    const r = x - n * PI[0] - n * PI[1] - n * PI[2];
    const s = r * r;
    let p = 0;
    for (const factor of SERIES) p = p * s + factor;
    const y = r + r * s * p;
    return n % 2 === 0 ? y : -y;
  }

  const known = (truth, a, b) => (a !== a || b !== b ? NaN : truth ? 1 : 0);
  const TWO = {
    add: (a, b) => a + b,
    subtract: (a, b) => a - b,
    multiply: (a, b) => a * b,
    both: (a, b) => (a === 0 || b === 0 ? 0 : a * b),
    either: (a, b) => (a === 1 || b === 1 ? 1 : a + b),
    equal: (a, b) => known(a === b, a, b),
    greater: (a, b) => known(a > b, a, b),
  };
  const ONE = { sine: sine, positive: (a) => known(a > 0, a, 0), negate: (a) => 1 - a };

  // 1 if an expression in postfix order is true, 0 if it is false, NaN if unknown.
  function truth(tokens, values) {
    const stack = [];
    for (const [op, operand] of tokens) {
      if (op === "column") stack.push(values[operand]);
      else if (op === "constant") stack.push(operand);
      else if (op in ONE) stack.push(ONE[op](stack.pop()));
      else {
        const right = stack.pop();
        stack.push(TWO[op](stack.pop(), right));
      }
    }
    return stack[0];
  }

  S.branch = function (test, values) {
    if (test.tokens) {
      const held = truth(test.tokens, values);
      return held !== held ? -1 : (held > 0) === test.back ? 1 : 0;
    }
    const x = values[test.column];
    if (x !== x) return -1;
    if (test.groups) return test.groups.findIndex((codes) => codes.includes(x));
    let place = 0;
    while (place < test.cuts.length && !(x <= test.cuts[place])) place++;
    return test.back ? test.cuts.length - place : place;
  };

  // The way of a row: parts (leaves with shares) and steps (what happened at each node).
  S.route = function (tree, values, step) {
    const parts = [], steps = [], open = [[0, 1]];
    while (open.length) {
      const [node, share] = open.pop();
      if (tree.first[node] < 0 || tree.step[node] <= step) {
        parts.push({ node: node, share: share });
        continue;
      }
      const found = S.ask(tree, node, values);
      steps.push(Object.assign({ node: node, share: share }, found));
      if (found.branch >= 0) {
        open.push([tree.first[node] + found.branch, share]);
        continue;
      }
      const shares = tree.shares[node];
      for (let child = shares.length - 1; child >= 0; child--) {
        if (shares[child] > 0) open.push([tree.first[node] + child, share * shares[child]]);
      }
    }
    return { parts: parts, steps: steps };
  };

  // The branch at a node, and how it was found: by the test, by a surrogate, or by default.
  S.ask = function (tree, node, values) {
    const branch = S.branch(tree.tests[node], values);
    if (branch >= 0) return { branch: branch, how: "test" };
    if (tree.fractional) return { branch: -1, how: "shares" };
    const others = tree.surrogates[node] || [];
    for (let k = 0; k < others.length; k++) {
      const other = S.branch(others[k], values);
      if (other >= 0) return { branch: other, how: "surrogate", surrogate: k };
    }
    return { branch: tree.default[node], how: "default" };
  };

  // What the parts of a row say together: {probabilities, label} or {number}.
  S.answer = function (tree, cost, parts) {
    if (!tree.labels) {
      if (parts.length === 1 && !tree.fractional) return { number: tree.answers[parts[0].node] };
      return { number: parts.reduce((sum, part) => sum + part.share * tree.answers[part.node], 0) };
    }
    if (!tree.fractional) {
      const node = parts[0].node;
      return { probabilities: tree.answers[node], label: tree.labels[node] };
    }
    const mixed = tree.answers[0].map(() => 0);
    for (const part of parts) tree.answers[part.node].forEach((share, k) => { mixed[k] += part.share * share; });
    return { probabilities: mixed, label: S.cheapest(mixed, cost) };
  };

  // The class of least expected cost; costs closer than rounding are ties.
  S.cheapest = function (shares, cost) {
    let best = 0, least = Infinity;
    const total = shares.reduce((sum, share) => sum + share, 0);
    for (let k = 0; k < shares.length; k++) {
      const expected = cost ? shares.reduce((sum, share, j) => sum + share * cost[j][k], 0) : total - shares[k];
      if (expected < least * (1 - 1e-12)) [best, least] = [k, expected];
    }
    return best;
  };

  // -- Raw values to numbers

  function codeOf(column, value) {
    if (!column.codes) {
      column.codes = new Map(column.categories.map((text, code) => [text, code]));
    }
    const text = typeof value === "boolean" ? (value ? "True" : "False") : String(value);
    let code = column.codes.get(text);
    if (code === undefined && column.of === "boolean") code = column.codes.get(text.charAt(0).toUpperCase() + text.slice(1).toLowerCase());
    if (code === undefined && column.of === "number" && text.trim() !== "") {
      const number = Number(text);
      code = column.codes.get(Number.isNaN(number) ? text : String(number));
    }
    return code === undefined ? NaN : code;
  }

  S.isGap = (value) => value === null || value === undefined || value === "" || value !== value;

  // One raw value as the tests take it; NaN is missing or unknown.
  S.encodeCell = function (column, value) {
    if (S.isGap(value)) return NaN;
    if (column.kind !== "numeric") return codeOf(column, value);
    return typeof value === "number" ? value : S.parse(value);
  };
  S.encodeRow = (columns, row) => columns.map((column, j) => S.encodeCell(column, row[j]));
})(window.Spinney);
