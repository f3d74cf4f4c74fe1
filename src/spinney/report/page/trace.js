// Trace a row: typed or pasted values, the way that they take, and what would change the answer.
(function (S) {
  "use strict";
  const P = S.data, T = S.tree;
  const inputs = [];
  let result, touched = false; // the way is marked in the tree once the reader has asked
  const asked = (function () { // columns that the tree can ask, those of its first tests first
    const seen = new Set();
    const add = (test) => (test.tokens ? test.tokens.filter(([op]) => op === "column").forEach(([, j]) => seen.add(j)) : seen.add(test.column));
    Object.keys(T.tests).map(Number).sort((a, b) => a - b).forEach((node) => {
      add(T.tests[node]);
    });
    Object.values(T.surrogates).flat().forEach(add);
    return Array.from(seen);
  })();

  // The answer of the model to a row of raw values, in the order of the columns.
  S.traceRow = function (row, step) {
    const values = S.encodeRow(P.columns, row);
    const way = S.route(T, values, step === undefined ? S.state.step : step);
    return Object.assign({ values: values, parts: way.parts, steps: way.steps }, S.answer(T, P.cost, way.parts));
  };
  S.traceRows = (rows, step) => rows.map((row) => {
    const found = S.traceRow(row, step);
    return { label: found.label, probabilities: found.probabilities, number: found.number, parts: found.parts.map((own) => own.node) };
  });

  // -- What would change the answer: other leaves that need fewest columns changed, tried out

  function target(column, condition, value) { // a value that fulfils a condition
    if (condition.codes) return condition.codes.length ? condition.codes[0] : NaN;
    if (value > condition.low && value <= condition.high) return value;
    if (condition.high < Infinity && !(value <= condition.high)) return condition.high;
    if (column.kind !== "numeric") return Math.floor(condition.low) + 1;
    const summary = column.summary, low = condition.low, high = condition.high;
    const step = summary ? Math.max(Math.abs(summary[4] - summary[0]) * 1e-6, Math.abs(low) * 1e-12) : Math.abs(low) * 1e-9 || 1e-9;
    return high < Infinity ? low + Math.min(step, (high - low) / 2) : low + step;
  }
  const meets = (condition, value) => (condition.codes ? condition.codes.includes(value) : value > condition.low && value <= condition.high || (condition.low === -Infinity && value <= condition.high));

  S.changes = function (found) {
    const tries = [];
    for (const leaf of S.leavesInOrder()) {
      const said = T.labels ? T.labels[leaf] : T.answers[leaf];
      if (said === (T.labels ? found.label : found.number)) continue;
      const needed = [], values = found.values.slice();
      let possible = true;
      for (const condition of S.conditions(leaf)) {
        if (condition.test) {
          possible = possible && S.branch(condition.test, values) === condition.branch;
          continue;
        }
        if (meets(condition, values[condition.column])) continue;
        const to = target(P.columns[condition.column], condition, values[condition.column]);
        if (Number.isNaN(to)) possible = false;
        values[condition.column] = to;
        needed.push(condition);
      }
      if (possible && needed.length) tries.push({ leaf: leaf, needed: needed, values: values, said: said, weight: S.weightOf(0, leaf) });
    }
    tries.sort((a, b) => a.needed.length - b.needed.length || b.weight - a.weight);
    const shown = [], seen = new Set();
    for (const own of tries) {
      const way = S.route(T, own.values, S.state.step), answer = S.answer(T, P.cost, way.parts);
      const key = T.labels ? answer.label : answer.number > found.number;
      if ((T.labels ? answer.label !== own.said : answer.number !== own.said) || seen.has(key)) continue;
      seen.add(key);
      shown.push(Object.assign(own, { answer: answer }));
      if (shown.length === 3) break;
    }
    return shown;
  };

  // -- Words

  const valueText = (j, value) => {
    if (Number.isNaN(value)) return "missing";
    const column = P.columns[j];
    return column.kind === "numeric" ? S.exact(value) : S.clip(column.categories[value], 40);
  };
  function stepText(step, values) {
    const test = T.tests[step.node];
    const from = test.tokens ? "" : " (is " + valueText(test.column, values[test.column]) + ")";
    if (step.how === "shares") return S.testText(test) + ": not known, so the row goes down every branch by its share";
    const to = S.branchText(T.first[step.node] + step.branch, 6) + from;
    if (step.how === "test") return to;
    if (step.how === "default") return to + ": not known, and goes where most rows go";
    const other = T.surrogates[step.node][step.surrogate];
    return to + ": not known; the surrogate " + (other.tokens ? "expression" : S.columnText(other.column) + " (is " + valueText(other.column, values[other.column]) + ")") + " decides";
  }
  function show() {
    const row = P.columns.map((_, j) => (inputs[j] ? inputs[j].value : null));
    const found = S.traceRow(row);
    if (touched) S.traced = found.steps.map((own) => own.node).concat(found.parts.map((own) => own.node));
    S.emit("trace");
    const unknown = P.columns.map((column, j) => (inputs[j] && inputs[j].value !== "" && Number.isNaN(found.values[j]) ? S.columnText(j) : null)).filter((name) => name !== null);
    const odds = found.probabilities ? S.el("ul", { class: "odds" }, found.probabilities.map((p, k) => [p, k]).sort((a, b) => b[0] - a[0]).slice(0, 8).map(([p, k]) =>
      S.el("li", {}, S.el("span", { class: "odds-name" }, S.classText(k)), S.el("span", { class: "bar-track" }, S.el("span", { class: "bar-fill class" + (k % 8), style: `width:${100 * p}%` })), S.share(p)))) : null;
    const changes = S.changes(found);
    S.clear(result, S.el("p", { class: "answer" }, "Predicted: ", S.el("strong", {}, S.answerText(found))), odds,
      S.isLifetimes && found.parts.length === 1 ? S.el("div", { class: "trace-curve" }, S.nodeSurvival(found.parts[0].node)) : null,
      unknown.length ? S.el("p", { class: "banner" }, "Not known to the model, so treated as missing: " + unknown.slice(0, 6).join(", ")) : null,
      S.el("h3", {}, "The way"), S.el("ol", { class: "way" }, found.steps.slice(0, 60).map((own) => S.el("li", {}, stepText(own, found.values))),
        S.el("li", {}, found.parts.length === 1 ? "Leaf " + found.parts[0].node : found.parts.slice(0, 12).map((own) => "leaf " + own.node + " by " + S.share(own.share)).join(", "))),
      S.el("p", {}, S.el("button", { type: "button", onclick: () => { ask(); S.showNode(found.parts[0].node); document.getElementById("tree").scrollIntoView(); } }, "Show it in the tree")),
      S.el("h3", {}, "Reasons"), S.reasonList(found, valueText),
      S.el("h3", {}, "What would change the answer"), changes.length ? S.el("ul", {}, changes.map((own) => S.el("li", {}, S.el("strong", {}, S.answerText(own.answer)), " if " + own.needed.map((condition) => S.conditionText(condition, 6) + " (is " + valueText(condition.column, found.values[condition.column]) + ")").join(" and ")))) : S.el("p", { class: "note" }, "No change of values that tests ask one by one gives another answer."));
  }

  function ask() {
    touched = true;
    document.getElementById("trace").classList.add("asked"); // and printed
    show();
  }

  function field(j) {
    const column = P.columns[j], id = "field-" + j;
    let input;
    if (column.kind !== "numeric" && column.categories.length <= 60) {
      input = S.el("select", { id: id }, S.el("option", { value: "" }, "(missing)"), column.categories.map((text) => { const option = S.el("option", {}, S.clip(text, 60)); option.value = text; return option; }), S.el("option", { value: "\u0000other" }, "(another category)"));
    } else {
      input = S.el("input", { id: id, type: "text", inputmode: column.kind === "numeric" ? "decimal" : "text", placeholder: "missing", autocomplete: "off" });
    }
    input.addEventListener("input", ask);
    inputs[j] = input;
    return S.el("div", { class: "field" }, S.el("label", { for: id, title: S.clip(column.name, 300) }, S.clip(column.name, 32)), input);
  }
  // A pasted line: values between commas, semicolons or tabs, in the order of the columns.
  S.paste = function (line) {
    const sign = line.includes("\t") ? "\t" : line.includes(";") ? ";" : ",";
    const cells = [];
    let cell = "", inside = false;
    for (const letter of line.replace(/[\r\n]+$/, "") + sign) {
      if (letter === '"') inside = !inside;
      else if (letter === sign && !inside) { cells.push(cell.trim()); cell = ""; }
      else cell += letter;
    }
    return cells;
  };
  function usePasted(text, note) {
    const cells = S.paste(text);
    if (cells.length !== P.columns.length) {
      note.textContent = `A line of ${P.columns.length} values is needed, in the order of the columns; this one has ${cells.length}.`;
      return;
    }
    note.textContent = "";
    inputs.forEach((input, j) => {
      input.value = cells[j];
      if (input.tagName === "SELECT" && input.value !== cells[j]) input.value = cells[j] === "" ? "" : "\u0000other";
    });
    ask();
  }
  S.drawTracePart = function () {
    const section = S.part("trace", "Trace a row", S.isEnsemble ? "How the tree that stands in answers a row; the ensemble itself may differ." : "Type values or paste a line: the page answers as the model does. What is left empty is missing.");
    const fields = S.el("form", { class: "fields", onsubmit: (event) => event.preventDefault() }, asked.slice(0, 60).map(field));
    const rest = asked.length > 60 ? S.el("p", { class: "note" }, `The first 60 of ${asked.length} columns that the tree asks; paste a line for the others.`) : null;
    asked.slice(60).forEach(field);
    const note = S.el("span", { role: "status", class: "note" });
    const paste = S.el("input", { type: "text", id: "paste", autocomplete: "off", placeholder: "values, in the order of the columns" });
    paste.addEventListener("change", () => usePasted(paste.value, note));
    result = S.el("div", { id: "trace-result", "aria-live": "polite" });
    const most = (bars) => bars.slice(0, 12).reduce((best, n, k) => (n > bars[best] ? k : best), 0);
    const usual = () => { inputs.forEach((input, j) => { const c = P.columns[j]; input.value = c.kind === "numeric" ? (c.summary ? c.summary[2] : "") : c.order && c.order.length ? c.categories[c.order[most(c.bars[0])]] : ""; }); };
    const empty = () => { inputs.forEach((input) => { input.value = ""; }); };
    section.append(S.el("div", { class: "two" }, S.el("div", {}, S.el("p", {}, S.el("button", { type: "button", onclick: () => { usual(); ask(); } }, "Usual values"), " ", S.el("button", { type: "button", onclick: () => { empty(); ask(); } }, "All missing")), fields, rest || "",
      S.el("div", { class: "field wide" }, S.el("label", { for: "paste" }, "Paste a line"), paste, note)), result));
    usual();
    show();
    S.on("step", show);
  };
})(window.Spinney);
