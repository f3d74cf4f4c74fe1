// Elements made of text that is only ever text: names and labels are data.
(function (S) {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/g;

  // Signs that are invisible or turn the direction of writing are shown as their numbers.
  S.plain = (text) =>
    String(text).replace(CONTROLS, (sign) => "\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0"));
  S.clip = function (text, most) {
    const all = S.plain(text);
    const signs = Array.from(all.length > 4 * most ? all.slice(0, 4 * most) : all);
    return signs.length > most ? signs.slice(0, most - 1).join("") + "…" : all;
  };

  // Text cut to a width in pixels, as the browser would draw it.
  const measure = document.createElement("canvas").getContext("2d");
  S.fit = function (text, font, width) {
    measure.font = font + ' "Segoe UI", system-ui, -apple-system, "Helvetica Neue", Arial, sans-serif';
    let shown = S.clip(text, 60), n = Array.from(shown).length;
    while (n > 2 && measure.measureText(shown).width > width) shown = S.clip(text, --n);
    return shown;
  };

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined) continue;
      node.appendChild(child instanceof Node ? child : document.createTextNode(S.plain(child)));
    }
    return node;
  }
  S.el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  S.svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  S.clear = function (node, ...children) {
    node.replaceChildren();
    return fill(node, {}, children);
  };

  // A table; cells are text, elements, or {text, sort}. `left` lists columns of words.
  S.table = function (heads, rows, options) {
    const o = Object.assign({ left: [0], caption: "" }, options);
    const cls = (j) => (o.left.includes(j) ? "word" : "figure");
    const head = S.el("tr", {}, heads.map((text, j) => S.el("th", { scope: "col", class: cls(j) }, text)));
    const body = rows.map((row, i) =>
      S.el("tr", { class: o.marked && o.marked(i) ? "marked" : null },
        row.map((cell, j) =>
          S.el(j === 0 ? "th" : "td", { class: cls(j), scope: j === 0 ? "row" : null }, cell))));
    const table = S.el("table", {}, S.el("caption", { class: o.shown ? null : "unseen" }, o.caption), S.el("thead", {}, head), S.el("tbody", {}, body));
    return S.el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": o.caption }, table);
  };

  // A picture with its numbers beside it: the table is made when it is opened, or printed.
  S.figure = function (title, picture, makeTable, note) {
    const details = S.el("details", { class: "numbers" }, S.el("summary", {}, "Table: " + title));
    const open = () => {
      if (details.childElementCount === 1) details.appendChild(makeTable());
    };
    details.addEventListener("toggle", open);
    return S.el("figure", {}, S.el("figcaption", {}, title), picture, note ? S.el("p", { class: "note" }, note) : null, makeTable ? details : null);
  };

  S.part = function (id, title, lead) {
    const section = S.el("section", { id: id, "aria-labelledby": id + "-title" }, S.el("h2", { id: id + "-title" }, title), lead ? S.el("p", { class: "lead" }, lead) : null);
    document.getElementById("parts").appendChild(section);
    return section;
  };

  S.tip = function (node, text) {
    const tip = document.getElementById("tip");
    const hide = () => { tip.hidden = true; };
    node.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch") return;
      tip.textContent = S.plain(text());
      tip.hidden = false;
      const width = tip.offsetWidth, height = tip.offsetHeight;
      tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
      tip.style.top = (event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18) + "px";
    });
    node.addEventListener("pointerleave", hide);
    node.addEventListener("pointerdown", hide);
  };

  // What changes on the page, and who wants to know.
  const listeners = {};
  S.on = (what, call) => (listeners[what] = listeners[what] || []).push(call);
  S.emit = (what) => (listeners[what] || []).forEach((call) => call());
})(window.Spinney);
