// How large: the pruning path with its errors, and the slider that prunes the tree on the page.
(function (S) {
  "use strict";
  const P = S.data, path = P.path;
  let slider, output, holder;
  const sizeText = (k) => S.count(path.leaves[k]) + (path.leaves[k] === 1 ? " leaf" : " leaves");
  const lossName = S.isClasses ? (P.cost ? "cost per row" : "error") : S.isLifetimes ? "half deviance per row" : "loss per row (" + S.clip(P.about.criterion, 30) + ")";
  const lossText = (x) => (S.isClasses && !P.cost ? S.share(x) : S.number(x, 4));

  // The axis of numbers of leaves, small ones far apart.
  S.sizeAxis = function () {
    const most = Math.max(...path.leaves), least = Math.min(...path.leaves);
    const ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000].filter((n) => n >= least && n <= most);
    return { label: "leaves", domain: [least, Math.max(most, 2)], log: true, ticks: ticks, format: S.count };
  };
  function columns() {
    const found = [["Risk, grown on", path.risk]];
    if (path.error) found.push(["Cross-validated", path.error], ["Std. error", path.se]);
    (path.losses || []).forEach((own, set) => own && found.push([S.sets[set], own]));
    return found;
  }
  function table() {
    const shown = columns();
    return S.table(["Leaves", "Alpha", ...shown.map(([name]) => name)], path.leaves.map((_, k) => [sizeText(k), S.number(path.alpha[k], 4), ...shown.map(([, own]) => lossText(own[k]))]),
      { caption: "The pruning path; the marked row is the tree shown", marked: (k) => k === S.state.step });
  }
  function picture() {
    const x = path.leaves.map((n) => n), point = (own) => own.map((loss, k) => [x[k], loss, sizeText(k) + ": " + lossText(loss)]);
    const series = [{ name: "Risk, grown on", points: point(path.risk), kind: "line", set: 2 }];
    if (path.error) series.push({ name: "Cross-validated ± 1 SE", points: point(path.error), kind: "both", set: 0, bars: path.error.map((e, k) => [x[k], e - path.se[k], e + path.se[k]]) });
    const holdout = (path.losses || [])[1];
    if (holdout) series.push({ name: "Hold-out", points: point(holdout), kind: "both", set: 1 });
    const shown = path.error || holdout || path.risk, axis = S.sizeAxis(), [least, most] = axis.domain;
    const lines = path.best ? [[[least, path.best.limit], [most, path.best.limit], "1 SE above the least error"]] : [];
    return S.chart({ title: "Error by number of leaves", series: series, lines: lines, marks: [[x[S.state.step], shown[S.state.step], "shown: " + sizeText(S.state.step)]],
      x: axis, y: { label: lossName, format: (v) => (S.isClasses && !P.cost ? S.share(v, 0) : S.number(v, 3)) } });
  }
  function renew() {
    slider.value = S.lastStep - S.state.step;
    const own = S.state.step === path.selected;
    const said = sizeText(S.state.step) + (own ? (S.isEnsemble ? ", the tree that was selected" : ", the model itself") : "");
    output.textContent = said;
    slider.setAttribute("aria-valuetext", said);
    document.body.classList.toggle("other-size", !own);
    const banner = document.getElementById("other-size");
    S.clear(banner, own ? "" : ["This page now shows a subtree with " + sizeText(S.state.step) + ". ", S.el("button", { type: "button", onclick: () => S.setStep(path.selected) }, "Back to " + (S.isEnsemble ? "the selected tree" : "the model"))]);
    const wasOpen = holder.querySelector("details[open]");
    S.clear(holder, S.figure("Error by number of leaves", picture(), table));
    if (wasOpen) holder.querySelector("details").open = true;
  }
  S.drawPruningPart = function () {
    const section = S.part("size", "How large", "Pruning takes the weakest branch away first. Move the slider: every part of this page follows the tree of that size.");
    slider = S.el("input", { type: "range", id: "slider", min: 0, max: S.lastStep, step: 1, value: 0, disabled: S.lastStep === 0 });
    slider.addEventListener("input", () => S.setStep(S.lastStep - Number(slider.value)));
    output = S.el("output", { for: "slider", id: "slider-says" });
    const chosen = path.rule ? "Selected by rule " + path.rule + " of " + path.leaves.length + " sizes." : null;
    holder = S.el("div");
    section.append(S.el("div", { class: "slider" }, S.el("label", { for: "slider" }, "Size of the tree"), slider, output),
      S.el("p", { id: "other-size", class: "banner", role: "status" }), chosen ? S.el("p", { class: "note" }, chosen) : "", holder);
    renew();
    S.on("step", renew);
  };
})(window.Spinney);
