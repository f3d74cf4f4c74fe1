// Printing: the tree is paged by branch, and the tables that pictures hide are opened.
(function (S) {
  "use strict";
  const T = S.tree;
  const LEVELS = 3; // of a page
  let pages = null;

  // The branches that get a page of their own, the root's first.
  S.printBranches = function () {
    const found = [], open = [0];
    while (open.length && found.length < 200) {
      const root = open.shift();
      found.push(root);
      const seen = [[root, 0]];
      while (seen.length) {
        const [node, level] = seen.shift();
        if (S.isLeaf(node)) continue;
        if (level === LEVELS) open.push(node);
        else S.children(node).forEach((child) => seen.push([child, level + 1]));
      }
    }
    return found;
  };
  function branchPage(root) {
    const level = S.depth[root];
    const isOpen = (node) => S.depth[node] - level < LEVELS && !S.isLeaf(node);
    const placed = S.layout(root, (node) => (isOpen(node) ? S.children(node) : []));
    const svg = S.svg("svg", { viewBox: `-6 -6 ${placed.width + 36} ${placed.height + 12}`, class: "tree printed", role: "img", "aria-label": "Branch " + root, style: `max-height:${Math.min(240, 4 + placed.nodes.length * 16)}mm` });
    placed.nodes.forEach((own) => { if (own.parent >= 0) svg.append(S.drawLink(placed.byNode.get(own.parent), own)); });
    placed.nodes.forEach((own) => {
      const group = S.drawNode(own, { isOpen: isOpen });
      if (!S.isLeaf(own.node) && !isOpen(own.node)) group.append(S.svg("text", { class: "said", x: 10, y: -3 }, "see branch " + own.node));
      svg.append(group);
    });
    return S.el("div", { class: "branch-page" }, S.el("h3", {}, root === 0 ? "The top of the tree" : "Branch " + root), root ? S.el("p", { class: "note" }, S.ruleText(root)) : null, svg);
  }
  function before() {
    if (pages) return;
    pages = S.el("div", { class: "print-tree" }, S.printBranches().map(branchPage));
    document.querySelector("#tree .tree-and-panel").after(pages);
  }
  function after() {
    if (pages) pages.remove();
    pages = null;
  }
  S.preparePrint = function () {
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
  };
})(window.Spinney);
