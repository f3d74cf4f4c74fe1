// Edits: what else a node could ask, and proposals that download as the JSON that `spinney edit` takes.
(function (S) {
  "use strict";
  const P = S.data, T = S.tree, E = P.editing;
  const proposals = []; // {action, node, test, reason}
  let list, status, reason, author;

  // The path of a node, as the editor names it; it survives another fit.
  S.editPath = (node) => E.paths[node];
  const within = (path, above) => path === above || path.startsWith(above + "/");
  const changes = (own) => own.action === "split" || own.action === "prune";
  const actionText = (own) => {
    const test = own.test && (own.test.test || own.test);
    return { split: "ask instead: " + S.clip(test || "", 200), prune: "make it a leaf", grow: "grow on below it", lock: "keep as it is" }[own.action];
  };

  // Why an edit does not fit those proposed before; null if it does.
  function hindrance(edit) {
    const last = proposals.find((own) => changes(own) && within(edit.node, own.node) && edit.node !== own.node);
    if (last) return `${last.node} was changed by an edit before; its branches are gone.`;
    const locked = proposals.find((own) => own.action === "lock" && edit.action !== "lock" && within(own.node, edit.node));
    return locked ? `${locked.node} is to be kept as it is.` : null;
  }
  S.propose = function (edit) {
    const why = hindrance(edit);
    if (why) return tell("Not proposed: " + why);
    for (let k = proposals.length - 1; k >= 0; k--) if (changes(edit) && within(proposals[k].node, edit.node)) proposals.splice(k, 1);
    proposals.push(edit);
    S.emit("edits");
    return tell(`Proposed: ${edit.node}: ${actionText(edit)}`);
  };
  function tell(text) {
    status.textContent = S.plain(text);
    const here = document.getElementById("edit-status");
    if (here) here.textContent = S.plain(text);
    return text;
  }

  // The JSON that TreeEditor.replay and `spinney edit` take.
  S.editsJson = function () {
    const named = author.value.trim();
    const edits = proposals.map((own) => Object.fromEntries(Object.entries(Object.assign({}, own, { author: named })).filter(([, value]) => value !== "" && value !== undefined)));
    return JSON.stringify({ version: 1, edits: edits }, null, 2);
  };
  function download() {
    const url = URL.createObjectURL(new Blob([S.editsJson()], { type: "application/json" }));
    const link = S.el("a", { href: url, download: "edits.json" });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  // -- In the panel of a node

  const isOwn = () => S.state.step === P.path.selected;
  const edit = (action, node, test) => S.propose({ action: action, node: S.editPath(node), test: test, reason: reason.value.trim() });
  function others(node) {
    const listed = E.competitors[node];
    if (!listed) return S.el("p", { class: "note" }, "Other tests are listed for the nodes with most rows only.");
    if (!listed.length) return S.el("p", { class: "note" }, "No test divides its rows.");
    const most = listed[0].gain;
    const worth = (own) => "gain " + (most > 0 ? S.share(own.gain / most, 0) : S.number(own.gain, 3)) + " · " + own.rows.map(S.count).join(" + ");
    const button = (own) => S.el("button", { type: "button", class: "small", "aria-label": "Propose to ask " + S.clip(own.test.test, 60), onclick: () => edit("split", node, own.test) }, "Propose");
    return S.el("ol", { class: "others" }, listed.map((own) => S.el("li", {}, S.el("strong", { title: S.clip(own.test.test, 400) }, S.clip(own.test.test, 80)),
      S.el("div", { class: "row" }, S.el("span", { class: "note" }, worth(own)), own.own ? S.el("span", { class: "note" }, "as now") : button(own)))));
  }
  S.editBox = function (node) {
    if (!E) return null;
    if (!isOwn()) return S.el("div", { class: "edit-box" }, S.el("h4", {}, "Edits"), S.el("p", { class: "note" }, "Edits are proposed for the model itself: move the slider back to it."));
    const own = S.el("input", { type: "text", id: "own-test", placeholder: "income <= 40", autocomplete: "off", "aria-label": "A test of your own" });
    const ask = () => { if (own.value.trim()) edit("split", node, own.value.trim()); };
    own.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); ask(); } });
    const button = (text, action) => S.el("button", { type: "button", class: "small", onclick: () => edit(action, node) }, text);
    if (!E.competitors) return S.el("div", { class: "edit-box" }, S.el("h4", {}, "Edits"), S.el("div", { class: "row" }, S.isLeaf(node) ? null : button("Make it a leaf", "prune"), button("Keep as it is", "lock")), S.el("p", { class: "note", id: "edit-status", role: "status" }));
    return S.el("div", { class: "edit-box" }, S.el("h4", {}, S.isLeaf(node) ? "What could be asked here" : "What else could be asked"), others(node),
      S.el("div", { class: "row" }, own, S.el("button", { type: "button", class: "small", onclick: ask }, "Ask this")),
      S.el("div", { class: "row" }, S.isLeaf(node) ? null : button("Make it a leaf", "prune"), button(S.isLeaf(node) ? "Grow on" : "Grow its leaves", "grow"), button("Keep as it is", "lock")),
      S.el("p", { class: "note", id: "edit-status", role: "status" }));
  };

  // -- The part with all proposals

  function renew() {
    document.getElementById("edits").classList.toggle("made", proposals.length > 0 || P.about.edits.length > 0);
    if (!proposals.length) return S.clear(list, S.el("p", { class: "note" }, "None yet. Choose a node in the tree: its panel has what can be proposed."));
    const drop = (k) => { proposals.splice(k, 1); S.emit("edits"); };
    return S.clear(list, S.table(["No.", "Node", "Edit", "Reason", ""], proposals.map((own, k) => [String(k + 1), own.node, actionText(own), own.reason || "–", S.el("button", { type: "button", class: "small", "aria-label": "Drop edit " + (k + 1), onclick: () => drop(k) }, "Drop")]), { left: [0, 1, 2, 3], caption: "Proposed edits, in their order" }),
      S.el("p", {}, S.el("button", { type: "button", id: "download-edits", onclick: download }, "Download edits.json")),
      S.el("pre", { tabindex: "0", role: "region", "aria-label": "Command that makes the edits" }, "spinney edit MODEL DATA --edits edits.json --out NEW --report page.html"));
  }
  S.drawEditsPart = function () {
    if (!E && !P.about.edits.length) return;
    const section = S.part("edits", "Edits", E ? (E.competitors ? "Propose other tests, branches to cut or to grow, and nodes to keep." : "Propose branches to cut, and nodes to keep.") + " The page changes nothing: proposals download as a file, and spinney makes them on the data, counts anew and cross-validates." : null);
    S.drawHistory(section);
    if (!E) return;
    reason = S.el("input", { type: "text", id: "edit-reason", autocomplete: "off", placeholder: "for the next proposals" });
    author = S.el("input", { type: "text", id: "edit-author", autocomplete: "off" });
    status = S.el("p", { class: "note", role: "status" });
    list = S.el("div", { id: "proposals" });
    section.append(S.el("div", { class: "proposal-fields" }, S.el("span", { class: "field" }, S.el("label", { for: "edit-reason" }, "Reason"), reason), S.el("span", { class: "field" }, S.el("label", { for: "edit-author" }, "Proposed by"), author)), list, status,
      !E.competitors ? "" : S.el("p", { class: "note" }, `Gains of other tests are shares of the best, judged on ${S.count(E.rows)} rows; beside them the rows on either side.`));
    S.on("edits", renew);
    renew();
  };
})(window.Spinney);
