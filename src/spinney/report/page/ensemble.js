// Ensembles: members, the out-of-bag curve, diversity, importances, and pictures of the first trees.
(function (S) {
  "use strict";
  const P = S.data, E = P.ensemble;
  const BOX = { w: 150, h: 26, gx: 24, gy: 8 };

  function picture(own, k) {
    let bottom = 0;
    const at = [], deepest = [0];
    const place = (node, level) => {
      deepest[0] = Math.max(deepest[0], level);
      const below = Array.from({ length: own.count[node] }, (_, i) => own.first[node] + i);
      below.forEach((child) => place(child, level + 1));
      const y = below.length ? (at[below[0]].y + at[below[below.length - 1]].y) / 2 : bottom;
      if (!below.length) bottom += BOX.h + BOX.gy;
      at[node] = { x: level * (BOX.w + BOX.gx), y: y, below: below };
    };
    place(0, 0);
    const svg = S.svg("svg", { viewBox: `-2 -2 ${(deepest[0] + 1) * (BOX.w + BOX.gx)} ${bottom + 2}`, class: "member", role: "img", "aria-label": `The top of tree ${k + 1}. Its tests are in the table below it.` });
    at.forEach((p, node) => p.below.forEach((child) => svg.append(S.svg("path", { class: "link", "stroke-width": (1 + (8 * own.rows[child]) / Math.max(1, own.rows[0])).toFixed(1), d: `M${p.x + BOX.w} ${p.y + BOX.h / 2}L${at[child].x} ${at[child].y + BOX.h / 2}` }))));
    at.forEach((p, node) => svg.append(S.svg("g", { class: "node" + (p.below.length ? "" : " leaf"), transform: `translate(${p.x} ${p.y})` }, S.svg("rect", { class: "box", width: BOX.w, height: BOX.h, rx: 5 }), S.svg("text", { class: "said", x: 8, y: 17 }, S.clip(own.texts[node], 21)))));
    return S.figure(`Tree ${k + 1}: ${S.count(own.leaves)} leaves` + (own.cut ? ", its top" : ""), svg, () => S.table(["Node", "Test or answer", "Rows"], own.texts.map((text, node) => [String(node), S.clip(text, 200), S.count(own.rows[node])]), { left: [0, 1], caption: `Tree ${k + 1}` }));
  }
  function curve() {
    if (!E.curve || E.curve.length < 2) return null;
    return S.figure("Out-of-bag error", S.chart({ title: "Out-of-bag error by number of members", series: [{ name: "", points: E.curve, kind: "line", set: 0 }], x: { label: "members", format: S.count }, y: { label: "out-of-bag error", format: (v) => (S.isClasses ? S.share(v, 1) : S.number(v, 3)) } }), () => S.table(["Members", "Error"], E.curve.filter((_, i) => i % Math.ceil(E.curve.length / 60) === 0 || i === E.curve.length - 1).map(([n, e]) => [S.count(n), S.isClasses ? S.share(e, 2) : S.number(e, 5)]), { caption: "Out-of-bag error" }));
  }
  function diversity() {
    const d = E.diversity;
    if (!d || !d.pairs.length) return null;
    return S.figure("Diversity: kappa and error of pairs", S.chart({ title: "Kappa and error of pairs of members", series: [{ name: "", points: d.pairs.map(([k, e]) => [k, e, "", 2.5]), kind: "marks", set: 0 }], x: { label: "kappa: agreement beyond chance", format: (v) => S.number(v, 2) }, y: { label: "mean error of the pair", format: (v) => S.share(v, 0) } }),
      () => S.table(["Measure", "Mean"], [["Error of a member", S.share(d.error)], ["Disagreement", S.share(d.disagreement)], ["Q statistic", S.fixed(d.q, 3)], ["Kappa", S.fixed(d.kappa, 3)], ["Rows", S.count(d.rows)]], { caption: "Diversity" }), "Members that err on different rows gain by voting.");
  }
  function importances() {
    if (!E.importances) return null;
    const order = E.importances.map((x, j) => [x, j]).filter(([x]) => x > 0).sort((a, b) => b[0] - a[0]);
    return S.figure("Importances in the ensemble", S.bars(order.slice(0, 20).map(([x, j]) => ({ name: P.columns[j].name, values: [x], texts: [S.share(x)] })), "Importances in the ensemble"), () => S.table(["Column", "Share"], order.map(([x, j]) => [S.columnText(j, 60), S.share(x)]), { caption: "Importances in the ensemble" }));
  }
  function members() {
    if (!E.members.length) return null;
    const weighted = E.members.some((own) => own[4] !== null);
    const table = () => S.table(["Member", "Leaves", "Depth", "Votes", ...(weighted ? ["Weight"] : []), "First test on"], E.members.map(([k, leaves, depth, votes, weight, column]) => [String(k), S.count(leaves), S.count(depth), votes ? "yes" : "no", ...(weighted ? [S.number(weight, 4)] : []), column >= 0 ? S.columnText(column) : "–"]), { left: [0, weighted ? 5 : 4], caption: "Members" });
    const sizes = E.members.map((own) => own[1]).sort((a, b) => a - b), middle = sizes[Math.floor(sizes.length / 2)];
    return S.figure("Members", S.el("p", {}, `${S.count(E.n)} members, of ${S.count(sizes[0])} to ${S.count(sizes[sizes.length - 1])} leaves, the middle one of ${S.count(middle)}.`), table);
  }
  S.drawEnsemblePart = function () {
    if (!E) return;
    const section = S.part("ensemble", "The ensemble");
    const said = E.agreement.map((x, set) => `${S.isClasses ? S.share(x) : S.fixed(x, 3)} on ${S.sets[set].toLowerCase()}`).join(", ");
    section.append(S.el("p", {}, (S.isClasses ? "The single tree that stands in for it gives the same answer to " : "The single tree that stands in for it explains (R squared) ") + said + "."),
      E.oob !== null ? S.el("p", { class: "note" }, "Out-of-bag score: " + S.fixed(E.oob, 4)) : "", members() || "",
      S.el("div", { class: "charts" }, [curve(), diversity(), importances()].filter((f) => f)), S.el("div", { class: "charts" }, E.pictures.map(picture)));
  };
})(window.Spinney);
