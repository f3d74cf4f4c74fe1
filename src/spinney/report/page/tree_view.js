// The tree to walk through: drawn as SVG, an ARIA tree for the keyboard, with pan, zoom, collapse and search.
(function (S) {
  "use strict";
  const P = S.data, T = S.tree;
  const SMALLEST = 0.7; // scale at which boxes can be read
  const expanded = new Set();
  let hits = new Set(), hitList = [], hitAt = -1;
  let svg, scene, status, placed, view = { x: 0, y: 0, k: 1 };

  // Opens the nodes with most rows first, as many and as deep as the frame has room for.
  function openLargest() {
    const room = (size, box) => Math.floor((size - 16) / (SMALLEST * box)), [w, h] = frame();
    const deepest = Math.max(3, room(w, S.BOX.width + S.BOX.gapX)) - 1, most = Math.max(6, room(h, S.BOX.height + S.BOX.gapY));
    expanded.clear();
    const open = [0];
    let shown = 1;
    while (open.length) {
      open.sort((a, b) => S.weightOf(0, b) - S.weightOf(0, a) || a - b);
      const node = open.shift();
      const below = S.children(node);
      if (!below.length || shown + below.length - 1 > most || S.depth[node] >= deepest) continue;
      expanded.add(node);
      shown += below.length - 1;
      open.push(...below);
    }
  }
  const isOpen = (node) => !S.isLeaf(node) && expanded.has(node);
  const openChildren = (node) => (isOpen(node) ? S.children(node) : []);

  // -- Drawing a node: what leads to it, what it says, how many rows, shares of the classes

  function hiddenLeaves(node) {
    const at = S.standing();
    let n = 0;
    const open = [node];
    while (open.length) {
      const own = open.pop();
      if (at[own] >= 0) n++;
      else open.push(...S.children(own));
    }
    return n;
  }
  S.nodeSummary = function (node) {
    const rows = S.count(S.weightOf(0, node)) + " rows";
    if (S.isLifetimes) return "risk " + S.number(T.answers[node], 3) + " · " + S.count(S.countedOf(0, node)) + "/" + S.count(S.weightOf(0, node)) + " events";
    if (!S.isClasses) return S.predictionText(node) + " · " + rows;
    const label = T.labels[node];
    return S.predictionText(node) + " " + S.share(S.sharesOf(0, node)[label], 0) + " · " + rows;
  };
  function describe(node) {
    const state = S.isLeaf(node) ? "leaf" : isOpen(node) ? "open" : "closed, " + hiddenLeaves(node) + " leaves below";
    return `${S.branchText(node)}: predicts ${S.nodeSummary(node)}; ${state}`;
  }
  function shareBar(node, width, y) {
    const group = S.svg("g", { transform: `translate(10 ${y})`, "aria-hidden": "true" });
    const w = width - 20;
    if (!S.isClasses) {
      const [low, high] = S.answerRange();
      const at = high > low ? (T.answers[node] - low) / (high - low) : 0.5;
      group.append(S.svg("rect", { class: "track", width: w, height: 5, rx: 2.5 }), S.svg("rect", { class: "value", width: Math.max(3, w * at), height: 5, rx: 2.5 }));
      return group;
    }
    let x = 0;
    S.sharesOf(0, node).forEach((share, k) => {
      if (share > 0) group.append(S.svg("rect", { class: "class" + (k % 8), x: x * w, width: Math.max(0, share * w - 1), height: 5 }));
      x += share;
    });
    return group;
  }
  let range = null;
  S.answerRange = () => (range = range || [Math.min(...T.answers), Math.max(...T.answers)]);

  // What leads to a node on one line or, where that is too long, the column on one and the rest on another.
  function conditionLines(node) {
    const text = S.branchText(node, 3, 5), width = S.BOX.width - 18, fit = (part) => S.fit(part, "620 13.5px", width);
    const name = node && !S.branchCondition(node).test ? S.columnText(S.branchCondition(node).column) : "";
    if (fit(text) === text || !name || !text.startsWith(name + " ")) return [fit(text)];
    return [fit(name), fit(text.slice(name.length + 1))];
  }
  S.drawNode = function (own, o) {
    const { width, height } = S.BOX, node = own.node;
    const group = S.svg("g", { class: "node" + (S.isLeaf(node) ? " leaf" : "") + (hits.has(node) ? " hit" : ""), transform: `translate(${own.x} ${own.y})`, "data-node": node });
    const words = conditionLines(node), middle = height - 22 - (2 - words.length) * (height - 57) / 2;
    group.append(S.svg("rect", { class: "box", width: width, height: height, rx: 7 }),
      ...words.flatMap((text, i) => [S.svg("text", { class: "condition", x: 10, y: middle - S.BOX.line * (words.length - i) }, text), " "]),
      S.svg("text", { class: "said", x: 10, y: middle }, S.fit(S.nodeSummary(node), "12.5px", width - 18)), shareBar(node, width, middle + 9));
    if (!S.isLeaf(node)) {
      const closed = !o.isOpen(node);
      group.append(S.svg("g", { class: "toggle", "aria-hidden": "true", transform: `translate(${width} ${height / 2})` },
        S.svg("circle", { r: closed ? 11 : 7 }), S.svg("text", { "text-anchor": "middle", y: 4 }, closed ? "+" + hiddenLeaves(node) : "–")));
    }
    return group;
  };
  S.drawLink = function (from, to) {
    const { width, height } = S.BOX, share = S.weightOf(0, to.node) / Math.max(S.weightOf(0, 0), 1e-300);
    const [x0, y0, x1, y1] = [from.x + width, from.y + height / 2, to.x, to.y + height / 2], middle = (x0 + x1) / 2;
    return S.svg("path", { class: "link", d: `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`, "stroke-width": (1.2 + 16 * share).toFixed(2) });
  };

  // Small trees use the height of the frame; it never shows less than the boxes need.
  function roomy() {
    const flat = S.layout(0, openChildren), leaves = flat.nodes.filter((own) => !own.below.length).length;
    const k = scaleFor(flat), h = frame()[1];
    return Math.max(S.BOX.gapY, Math.min(70, (h / k - 30) / Math.max(leaves, 1) - S.BOX.height));
  }
  const scaleFor = function (flat) {
    const [w, h] = frame();
    return Math.max(SMALLEST, Math.min(1.12, (w - 32) / (flat.width + 12), (h - 16) / flat.height));
  };

  function draw(focus) {
    placed = S.layout(0, openChildren, roomy());
    scene.replaceChildren();
    for (const own of placed.nodes) if (own.parent >= 0) scene.append(S.drawLink(placed.byNode.get(own.parent), own));
    const items = S.svg("g", { role: "tree", "aria-label": "Decision tree" });
    const chosen = placed.byNode.has(S.state.node) ? S.state.node : nearest(S.state.node);
    for (const own of placed.nodes) {
      const group = S.drawNode(own, { isOpen: isOpen });
      const siblings = own.parent < 0 ? [own.node] : placed.byNode.get(own.parent).below;
      const about = {
        role: "treeitem", "aria-level": own.level + 1, "aria-setsize": siblings.length,
        "aria-posinset": siblings.indexOf(own.node) + 1, "aria-selected": own.node === S.state.node,
        tabindex: own.node === chosen ? 0 : -1,
      };
      if (!S.isLeaf(own.node)) about["aria-expanded"] = isOpen(own.node);
      Object.entries(about).forEach(([name, value]) => group.setAttribute(name, String(value)));
      group.prepend(S.svg("desc", {}, describe(own.node))); // the name of a box is its text, which may be shortened
      if (own.node === S.state.node) group.classList.add("selected");
      S.tip(group, () => S.ruleText(own.node) + "\n" + S.nodeSummary(own.node));
      items.append(group);
    }
    scene.append(items);
    markTrace();
    if (focus) items.querySelector(`[data-node="${chosen}"]`).focus({ preventScroll: true });
  }
  function nearest(node) {
    for (let at = node; at >= 0; at = T.parent[at]) if (placed.byNode.has(at)) return at;
    return 0;
  }
  function markTrace() {
    const path = new Set((S.traced || []).map((own) => own));
    scene.querySelectorAll(".node").forEach((group) => group.classList.toggle("traced", path.has(Number(group.dataset.node))));
  }
  S.on("trace", markTrace);

  // -- Keyboard, as of a tree: arrows walk, Enter chooses

  function key(event) {
    const item = event.target.closest("[data-node]");
    if (!item) return;
    const node = Number(item.dataset.node), order = placed.nodes.map((own) => own.node), at = order.indexOf(node);
    const go = { ArrowDown: order[at + 1], ArrowUp: order[at - 1], Home: order[0], End: order[order.length - 1] };
    if (event.key in go) choose(go[event.key]);
    else if (event.key === "ArrowRight") isOpen(node) ? choose(S.children(node)[0]) : toggle(node, true);
    else if (event.key === "ArrowLeft") isOpen(node) ? toggle(node, false) : choose(T.parent[node]);
    else if (event.key === "Enter" || event.key === " ") toggle(node, !isOpen(node));
    else if (event.key === "*") { S.children(node).concat(node).forEach((own) => expanded.add(own)); draw(true); }
    else return;
    event.preventDefault();
  }
  function choose(node) {
    if (node === undefined || node < 0) return;
    S.selectNode(node);
    draw(true);
    reveal(node);
  }
  function toggle(node, open) {
    if (S.isLeaf(node)) return;
    open ? expanded.add(node) : expanded.delete(node);
    S.state.node = node;
    S.emit("node");
    draw(true);
    reveal(node);
  }
  S.showNode = function (node) {
    S.pathTo(node).slice(0, -1).forEach((own) => expanded.add(own));
    S.selectNode(node);
    draw(false);
    reveal(node);
  };

  // -- Pan and zoom

  const apply = () => scene.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.k})`);
  const frame = () => [svg.clientWidth || 900, svg.clientHeight || 460];
  function fit() {
    view.k = scaleFor(placed);
    view.x = 16;
    const h = frame()[1];
    const tall = placed.height * view.k > h - 20;
    view.y = tall ? Math.min(12, h / 2 - (placed.byNode.get(0).y + S.BOX.height / 2) * view.k) : (h - placed.height * view.k) / 2;
    apply();
  }
  function zoom(by, cx, cy) {
    const [w, h] = frame(), x = cx === undefined ? w / 2 : cx, y = cy === undefined ? h / 2 : cy;
    const k = Math.max(0.08, Math.min(3, view.k * by));
    view.x = x - ((x - view.x) * k) / view.k;
    view.y = y - ((y - view.y) * k) / view.k;
    view.k = k;
    apply();
  }
  function reveal(node) {
    const own = placed.byNode.get(node), [w, h] = frame();
    if (!own) return;
    const x = own.x * view.k + view.x, y = own.y * view.k + view.y;
    if (x < 8) view.x += 16 - x;
    if (x + S.BOX.width * view.k > w - 24) view.x -= x + S.BOX.width * view.k - w + 32;
    if (y < 8) view.y += 24 - y;
    if (y + S.BOX.height * view.k > h - 8) view.y -= y + S.BOX.height * view.k - h + 24;
    apply();
  }
  function pointers() {
    const down = new Map();
    let moved = 0;
    svg.addEventListener("pointerdown", (event) => { down.set(event.pointerId, event); moved = 0; });
    svg.addEventListener("pointermove", (event) => {
      const last = down.get(event.pointerId);
      if (!last) return;
      const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
      if (down.size === 2) {
        const other = Array.from(down.values()).find((own) => own.pointerId !== event.pointerId);
        const gap = (own) => Math.hypot(own.clientX - other.clientX, own.clientY - other.clientY);
        const box = svg.getBoundingClientRect();
        zoom(gap(event) / Math.max(gap(last), 1), event.clientX - box.left, event.clientY - box.top);
      } else {
        moved += Math.abs(dx) + Math.abs(dy);
        if (moved > 4) {
          svg.setPointerCapture(event.pointerId);
          view.x += dx;
          view.y += dy;
          apply();
        }
      }
      down.set(event.pointerId, event);
    });
    ["pointerup", "pointercancel", "pointerleave"].forEach((what) => svg.addEventListener(what, (event) => down.delete(event.pointerId)));
    svg.addEventListener("click", (event) => {
      const item = event.target.closest("[data-node]");
      if (!item || moved > 4) return;
      const node = Number(item.dataset.node);
      if (event.target.closest(".toggle")) toggle(node, !isOpen(node));
      else { S.selectNode(node); draw(true); }
    });
    svg.addEventListener("dblclick", (event) => {
      const item = event.target.closest("[data-node]");
      if (item && !event.target.closest(".toggle")) toggle(Number(item.dataset.node), !isOpen(Number(item.dataset.node)));
    });
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = svg.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
  }

  // -- Search: names of columns, categories and classes

  S.search = function (words) {
    const wanted = words.trim().toLowerCase();
    const found = [];
    if (wanted) {
      const at = S.standing();
      T.parent.forEach((_, node) => {
        if (at[node] >= 0 && at[node] !== node) return;
        const text = (node ? S.conditionText(S.branchCondition(node), 1e9) : "") + " " + (S.isLeaf(node) ? S.predictionText(node) : "");
        if (text.toLowerCase().includes(wanted)) found.push(node);
      });
    }
    hitList = found;
    hits = new Set(found);
    hitAt = -1;
    return found;
  };
  function nextHit(by) {
    if (!hitList.length) return;
    hitAt = (hitAt + by + hitList.length) % hitList.length;
    S.showNode(hitList[hitAt]);
    status.textContent = `${hitAt + 1} of ${hitList.length}`;
  }
  function searchBox() {
    const input = S.el("input", { type: "search", id: "search", placeholder: "Column, category or class", autocomplete: "off", "aria-describedby": "search-status" });
    status = S.el("output", { id: "search-status", for: "search" });
    input.addEventListener("input", () => {
      const found = S.search(input.value);
      status.textContent = input.value.trim() ? S.count(found.length) + (found.length === 1 ? " node" : " nodes") : "";
      draw(false);
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      nextHit(event.shiftKey ? -1 : 1);
      input.focus();
    });
    return S.el("span", { class: "search" }, S.el("label", { for: "search" }, "Search the tree"), input, status);
  }

  S.drawTreePart = function () {
    const lead = S.isEnsemble
      ? "This tree was taught by the ensemble and stands in for it. Each box says what leads to it and what it predicts; lines are as wide as rows are many."
      : "Each box says what leads to it and what it predicts; lines are as wide as rows are many. Arrow keys walk the tree, Enter opens and closes a branch.";
    const section = S.part("tree", S.isEnsemble ? "The tree that stands in" : "The tree", lead);
    const button = (text, title, call) => S.el("button", { type: "button", title: title, "aria-label": text + ": " + title, onclick: call }, text);
    scene = S.svg("g", { class: "scene" });
    svg = S.svg("svg", { class: "tree", id: "tree-picture" }, scene);
    svg.addEventListener("keydown", key);
    const all = () => { T.parent.forEach((_, node) => expanded.add(node)); draw(false); fit(); };
    const few = () => { openLargest(); draw(false); fit(); };
    const tools = S.el("div", { class: "tools" }, searchBox(), S.el("span", { class: "buttons" },
      button("+", "Zoom in", () => zoom(1.25)), button("−", "Zoom out", () => zoom(0.8)), button("Fit", "Fit the tree into the frame", fit),
      button("Open all", "Open all branches", all), button("Open some", "Open the branches with most rows", few)));
    const keyList = S.isClasses ? S.el("ul", { class: "legend", id: "class-key" }, P.classes.slice(0, 24).map((_, k) => S.el("li", {}, S.el("span", { class: "swatch class" + (k % 8) }), S.classText(k)))) : null;
    const frameBox = S.el("div", { class: "tree-frame" }, svg);
    if (T.parent.some((_, node) => conditionLines(node).length > 1)) S.BOX.height += S.BOX.line;
    section.append(tools, keyList || "", S.el("div", { class: "tree-and-panel" }, frameBox, S.el("aside", { id: "panel", "aria-label": "The chosen node", "aria-live": "polite" })),
      S.figure("Nodes", S.el("p", { class: "note" }, "Drag to move, Ctrl and wheel or two fingers to zoom."), nodeTable));
    pointers();
    openLargest();
    draw(false);
    fit();
    S.on("step", () => { openLargest(); draw(false); fit(); renew(section); });
    S.on("node", () => scene.querySelectorAll(".node").forEach((group) => {
      const is = Number(group.dataset.node) === S.state.node;
      group.classList.toggle("selected", is);
      group.setAttribute("aria-selected", is);
    }));
    addEventListener("resize", () => { draw(false); fit(); });
  };
  function renew(section) {
    const details = section.querySelector("details.numbers");
    if (details.childElementCount > 1) details.lastChild.replaceWith(nodeTable());
  }
  function nodeTable() {
    const at = S.standing();
    const nodes = T.parent.map((_, node) => node).filter((node) => at[node] < 0 || at[node] === node).slice(0, 2000);
    const heads = ["Node", "Parent", "What leads here", "Predicts", ...S.sets.map((name) => name + " rows"), S.isClasses ? "Share of it" : "Mean", "Leaf"];
    return S.table(heads, nodes.map((node) => [String(node), node ? String(T.parent[node]) : "–", S.branchText(node, 6), S.predictionText(node),
      ...S.sets.map((_, set) => S.count(S.weightOf(set, node))), S.isClasses ? S.share(S.sharesOf(0, node)[T.labels[node]]) : S.number(S.meanOf(0, node), 5), S.isLeaf(node) ? "leaf" : ""]),
    { left: [0, 2, 3, S.sets.length + 5], caption: "Nodes of the tree" });
  }
})(window.Spinney);
