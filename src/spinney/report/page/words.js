// Tests, rules and segments in words and in SQL.
(function (S) {
  "use strict";
  const P = S.data, T = S.tree;
  const MOST = 4; // categories of a set that are named
  S.columnText = (j, most) => S.clip(P.columns[j].name, most || 40);
  const label = (column, code) => S.clip(column.categories[code], 30);
  const bound = function (column, cut, digits) {
    if (column.kind === "numeric") return S.number(cut, digits || 10);
    const code = Math.min(Math.floor(cut), column.categories.length - 1);
    return code >= 0 ? label(column, code) : S.exact(cut);
  };
  function setText(column, codes, most) {
    if (codes.length === 1) return "= " + label(column, codes[0]);
    const shown = codes.slice(0, codes.length > most + 1 ? most : codes.length).map((code) => label(column, code));
    if (codes.length > shown.length) shown.push("… " + S.count(codes.length - shown.length) + " more");
    return "in {" + shown.join(", ") + "}";
  }

  // -- A condition: {column, low, high}, {column, codes} or {test, branch} of an expression

  S.condition = function (test, branch) {
    if (test.tokens) return { test: test, branch: branch };
    if (test.groups) return { column: test.column, codes: test.groups[branch].slice() };
    const place = test.back ? test.cuts.length - branch : branch;
    return {
      column: test.column,
      low: place > 0 ? test.cuts[place - 1] : -Infinity,
      high: place < test.cuts.length ? test.cuts[place] : Infinity,
    };
  };
  S.conditionText = function (condition, most, digits) {
    if (condition.test) return S.clip(condition.test.texts ? condition.test.texts[condition.branch] : "expression", 200);
    const column = P.columns[condition.column], name = S.columnText(condition.column);
    if (condition.codes) {
      if (!condition.codes.length) return name + " is none of the branches";
      return name + " " + setText(column, condition.codes, most || MOST);
    }
    const low = condition.low > -Infinity ? bound(column, condition.low, digits) : null;
    const high = condition.high < Infinity ? bound(column, condition.high, digits) : null;
    if (low !== null && high !== null) return low + " < " + name + " ≤ " + high;
    if (high !== null) return name + " ≤ " + high;
    return low === null ? name + " is known" : name + " > " + low;
  };
  const both = function (a, b) {
    if (a.codes && b.codes) return { column: a.column, codes: a.codes.filter((code) => b.codes.includes(code)) };
    if (a.codes || b.codes) {
      const [set, range] = a.codes ? [a, b] : [b, a];
      return { column: a.column, codes: set.codes.filter((code) => code > range.low && code <= range.high) };
    }
    return { column: a.column, low: Math.max(a.low, b.low), high: Math.min(a.high, b.high) };
  };

  // What leads from the parent to a node; "all rows" at the root.
  S.branchCondition = (node) => S.condition(T.tests[T.parent[node]], node - T.first[T.parent[node]]);
  S.branchText = (node, most, digits) => (node === 0 ? "All rows" : S.conditionText(S.branchCondition(node), most, digits));
  // The conditions of the path to a node, one for each column, in the order in which they come.
  S.conditions = function (node) {
    const found = new Map();
    for (const at of S.pathTo(node).slice(1)) {
      const own = S.branchCondition(at);
      const key = own.test ? "e" + at : own.column;
      found.set(key, found.has(key) ? both(found.get(key), own) : own);
    }
    return Array.from(found.values());
  };
  S.ruleText = function (node) {
    const said = S.conditions(node).map((condition) => S.conditionText(condition, 12));
    return said.length ? said.join(" and ") : "all rows";
  };

  // -- SQL of a segment, for rows that have all values

  const quoted = (name) => '"' + String(name).replace(/"/g, '""') + '"';
  const literal = (column, code) =>
    column.of === "number" ? column.categories[code]
      : column.of === "boolean" ? column.categories[code].toUpperCase()
      : "'" + column.categories[code].replace(/'/g, "''") + "'";
  function conditionSql(condition) {
    if (condition.test) {
      const text = condition.test.sql;
      if (text === null) return "\0";
      return condition.branch === (condition.test.back ? 1 : 0) ? "(" + text + ")" : "NOT (" + text + ")";
    }
    const column = P.columns[condition.column], name = quoted(column.name);
    let codes = condition.codes;
    if (!codes && column.kind !== "numeric") {
      codes = column.categories.map((_, code) => code).filter((code) => code > condition.low && code <= condition.high);
    }
    if (codes) return codes.length ? name + " IN (" + codes.map((code) => literal(column, code)).join(", ") + ")" : "1 = 0";
    const parts = [];
    if (condition.low > -Infinity) parts.push(name + " > " + condition.low);
    if (condition.high < Infinity) parts.push(name + " <= " + condition.high);
    return parts.length ? parts.join(" AND ") : name + " IS NOT NULL";
  }
  S.segmentSql = function (node) {
    const text = S.conditions(node).map(conditionSql).join("\n  AND ") || "1 = 1";
    return /[\0\p{Cs}]/u.test(text) ? "-- SQL cannot hold a name of this segment" : text;
  };
  S.testText = function (test) {
    if (test.tokens) return S.clip((test.texts || ["expression"])[0], 120);
    return test.groups && test.groups.length > 2 || (test.cuts && test.cuts.length > 1)
      ? S.columnText(test.column) : S.conditionText(S.condition(test, 0));
  };
  S.surrogateText = function (surrogate) {
    if (surrogate.tokens) return "another expression";
    return S.conditionText(S.condition(surrogate, 0)) + ": first branch";
  };
})(window.Spinney);
