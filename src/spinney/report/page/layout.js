// Where the nodes stand: the root at the left, leaves one below the other. Nothing here touches the page.
(function (S) {
  "use strict";
  S.BOX = { width: 196, height: 57, gapX: 28, gapY: 12, line: 17 };

  // Positions of a node and what is open below it: [{node, x, y, parent, level}], in reading order.
  S.layout = function (root, children, gap) {
    const { width, height, gapX } = S.BOX, gapY = gap || S.BOX.gapY;
    const found = new Map(), order = [];
    let bottom = 0;
    const open = [[root, -1, 0, false]];
    while (open.length) {
      const [node, parent, level, seen] = open.pop();
      if (!seen) {
        const below = children(node);
        const own = { node: node, x: level * (width + gapX), y: 0, parent: parent, level: level, below: below };
        found.set(node, own);
        order.push(own);
        if (below.length) {
          open.push([node, parent, level, true]);
          below.slice().reverse().forEach((child) => open.push([child, node, level + 1, false]));
          continue;
        }
        own.y = bottom;
        bottom += height + gapY;
      } else {
        const own = found.get(node);
        own.y = (found.get(own.below[0]).y + found.get(own.below[own.below.length - 1]).y) / 2;
      }
    }
    const deepest = Math.max(...order.map((own) => own.x));
    return { nodes: order, byNode: found, width: deepest + width, height: Math.max(bottom - gapY, height) };
  };
})(window.Spinney);
