// The head of the page: what it is. And its end: all settings.
(function (S) {
  "use strict";
  const P = S.data, A = P.about;
  const KINDS = { numbers: "Regression", classes: "Classification", lifetimes: "Survival" };

  function theme() {
    const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
    const button = S.el("button", { type: "button", id: "theme", onclick: () => { const now = root.dataset.theme || (dark.matches ? "dark" : "light"); root.dataset.theme = now === "dark" ? "light" : "dark"; } }, "Light or dark");
    return button;
  }
  function shares() {
    if (S.isLifetimes) return S.sets.map((name, set) => `${name}: ${S.count(S.countedOf(set, 0))} events in ${S.count(S.weightOf(set, 0))} rows, half of them by ${S.medianText(S.curveOf(set, 0))}`).join("; ");
    if (!S.isClasses) return A.totals.map((own, set) => `${S.sets[set]}: mean ${S.number(own[1], 5)}, from ${S.number(own[3], 4)} to ${S.number(own[4], 4)}`).join("; ");
    return A.totals.map((own, set) => { const all = own.reduce((a, b) => a + b, 0); return (S.sets.length > 1 ? S.sets[set] + ": " : "") + own.slice(0, 6).map((n, k) => S.clip(P.classes[k], 24) + " " + S.share(n / all)).join(", ") + (own.length > 6 ? ", …" : ""); }).join("; ");
  }
  function tiles() {
    const size = S.isEnsemble ? S.count(P.ensemble.n) + " members" : S.count(P.path.leaves[P.path.selected]) + " leaves";
    const found = [[A.rows.map((n) => S.count(n)).join(" + "), S.sets.length > 1 ? "rows and hold-out" : "rows"], [S.count(A.columns), "columns"], [size, S.isEnsemble ? "in the ensemble" : "in the tree"]];
    const last = S.sets.length - 1, where = S.sets.length > 1 ? "on the hold-out" : "on the data";
    if (S.isClasses) {
      found.push([S.share(S.errorOf(S.confusion(last)).error), "error " + where]);
      if (S.hasScores() && P.classes.length === 2) found.push([S.fixed(S.curves(S.scored(last, S.state.positive)).auc, 3), "area under ROC " + where]);
    } else if (S.isLifetimes) {
      const groups = P.quality && P.quality.groups;
      found.push([S.count(S.countedOf(last, 0)), "events " + where], [S.fixed(groups ? groups.concordance[last] : P.lifetimes.concordance[last][P.path.selected], 3), "concordance " + where]);
    } else if (S.isRate) {
      const own = S.numberMeasures(last);
      found.push([S.number(own.mean, 4), "observed rate " + where], [S.fixed(own.d2, 3), "D squared " + where]);
    } else {
      const own = S.numberMeasures(last);
      found.push([S.fixed(own.r2, 3), "R squared " + where], [S.number(own.rmse, 4), "root mean squared error"]);
    }
    return S.el("ul", { class: "tiles" }, found.map(([value, name]) => S.el("li", {}, S.el("strong", {}, value), S.el("span", {}, name))));
  }
  S.drawHead = function () {
    const when = new Date(A.created);
    const facts = [["Kind", KINDS[P.task] + " by " + A.model], ["Target", S.clip(A.target, 200)], [S.isClasses ? "Classes" : S.isLifetimes ? "Events" : "Values", shares()], ["Criterion", S.clip(A.criterion, 60)], ["Random seed", S.clip(A.seed, 60)], ["Made", when.toLocaleString() + " by spinney " + A.version]];
    if (A.edits.length) facts.push(["Edited by hand", S.count(A.edits.length) + (A.edits.length === 1 ? " edit" : " edits") + ", listed under Edits"]);
    if (P.cost) facts.push(["Costs", P.cost.flatMap((row, i) => row.map((c, j) => (i !== j ? `${S.clip(P.classes[i], 24)} taken for ${S.clip(P.classes[j], 24)}: ${S.number(c, 4)}` : null))).filter((t) => t).slice(0, 12).join("; ")]);
    document.getElementById("top").append(S.el("div", { class: "title" }, S.el("p", { class: "eyebrow" }, "spinney report"), theme()), S.el("h1", {}, S.clip(A.target, 80), " ", S.el("small", {}, A.model)), tiles(), S.el("dl", { class: "facts" }, facts.map(([name, value]) => [S.el("dt", {}, name), S.el("dd", {}, value)])));
  };
  S.drawHistory = function (section) {
    if (!A.edits.length) return;
    section.append(S.el("h3", {}, "Edited by hand"), S.table(["No.", "Edit", "Reason", "Author"], A.edits.map((own, k) => [String(k + 1), S.clip(own.what, 400), S.clip(own.reason, 400), S.clip(own.author, 100)]), { left: [0, 1, 2, 3], caption: "Edits that made this tree" }));
  };
  S.drawSettingsPart = function () {
    const section = S.part("settings", "Settings", "Marked rows differ from the defaults.");
    section.append(S.table(["Parameter", "Value"], A.settings.map(([name, value]) => [name, S.clip(value, 200)]), { left: [0, 1], caption: "Settings", marked: (k) => A.settings[k][2] }));
    document.getElementById("foot").append(S.el("p", {}, "One file, no network: it holds the model and counts of the data, no rows."));
  };
  S.drawContents = function () {
    const links = Array.from(document.querySelectorAll("main > section")).map((own) => S.el("li", {}, S.el("a", { href: "#" + own.id }, own.querySelector("h2").textContent)));
    document.getElementById("contents").append(S.el("ul", {}, links));
  };
})(window.Spinney);
