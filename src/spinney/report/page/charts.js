// Small charts as SVG: lines with marks, and bars. Data sets differ by dashes and shapes, not by colour alone.
(function (S) {
  "use strict";
  const W = 420, H = 280, LEFT = 64, TOP = 12, BOTTOM = 44;

  S.ticks = function (low, high, most) {
    if (!(high > low)) return [low];
    const raw = (high - low) / (most || 5), base = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 2.5, 5, 10].map((x) => x * base).find((x) => x >= raw * 0.999);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(k * step);
    return found;
  };

  // series: {name, points: [[x, y, text?]], kind: "line" | "marks" | "both", set, cls, end, bars: [[x, low, high]]}
  S.chart = function (o) {
    const RIGHT = o.series.some((own) => own.end) ? 62 : 20;
    const all = o.series.flatMap((own) => own.points.concat((own.bars || []).flatMap(([x, a, b]) => [[x, a], [x, b]])));
    const domain = (given, j) => {
      if (given) return given;
      const values = all.map((point) => point[j]).filter(Number.isFinite);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      return low < high ? [low - (high - low) * 0.04, high + (high - low) * 0.04] : [low - 1, high + 1];
    };
    const [x0, x1] = domain(o.x.domain, 0), [y0, y1] = domain(o.y.domain, 1);
    const scaleX = o.x.log ? Math.log : (v) => v;
    const x = (v) => LEFT + ((scaleX(v) - scaleX(x0)) / (scaleX(x1) - scaleX(x0))) * (W - LEFT - RIGHT);
    const y = (v) => H - BOTTOM - ((v - y0) / (y1 - y0)) * (H - TOP - BOTTOM);
    const svg = S.svg("svg", { viewBox: `0 0 ${W} ${H}`, class: "chart", role: "img", "aria-label": o.title + ". Its numbers are in the table below it." });
    const xTicks = o.x.ticks || S.ticks(x0, x1, 5);
    for (const tick of xTicks) {
      svg.append(S.svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: TOP, y2: H - BOTTOM }),
        S.svg("text", { class: "tick", x: x(tick), y: H - BOTTOM + 16, "text-anchor": "middle" }, o.x.format(tick)));
    }
    for (const tick of S.ticks(y0, y1, 5)) {
      svg.append(S.svg("line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: y(tick), y2: y(tick) }),
        S.svg("text", { class: "tick", x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, o.y.format(tick)));
    }
    svg.append(S.svg("text", { class: "axis", x: (LEFT + W - RIGHT) / 2, y: H - 6, "text-anchor": "middle" }, o.x.label),
      S.svg("text", { class: "axis", transform: `translate(11 ${(TOP + H - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, o.y.label));
    (o.lines || []).forEach(([a, b]) => svg.append(S.svg("line", { class: "guide", x1: x(a[0]), y1: y(a[1]), x2: x(b[0]), y2: y(b[1]) })));
    o.series.forEach((own) => drawSeries(svg, own, x, y));
    endTexts(svg, o.series, x, y);
    (o.marks || []).forEach(([mx, my, text]) => {
      svg.append(S.svg("circle", { class: "chosen", cx: x(mx), cy: y(my), r: 6.5 }, S.svg("title", {}, text)));
    });
    const legend = o.series.filter((own) => own.name).concat((o.lines || []).filter((own) => own[2]).map((own) => ({ name: own[2], kind: "line", cls: "limit" })));
    return legend.length > 1 ? S.el("div", {}, svg, S.legend(legend)) : svg;
  };

  // Names beside the ends of lines, moved apart where they would meet.
  function endTexts(svg, series, x, y) {
    const ends = series.filter((own) => own.end && own.points.length).map((own) => ({ own: own, x: x(own.points[own.points.length - 1][0]) + 5, y: y(own.points[own.points.length - 1][1]) }));
    const meet = (a, b) => Math.abs(a.x - b.x) < 56;
    ends.sort((a, b) => a.y - b.y).forEach((end, i) => ends.slice(0, i).forEach((other) => { if (meet(end, other)) end.y = Math.max(end.y, other.y + 12); }));
    for (let i = ends.length - 1; i >= 0; i--) ends.slice(i + 1).concat({ x: ends[i].x, y: H - BOTTOM + 12 }).forEach((other) => { if (meet(ends[i], other)) ends[i].y = Math.min(ends[i].y, other.y - 12); });
    ends.forEach((end) => svg.append(S.svg("text", { class: "end " + (end.own.cls || ""), x: end.x, y: end.y + 4 }, end.own.end)));
  }
  const looks = (own) => "series " + (own.cls || "set" + (own.set || 0));

  function drawSeries(svg, own, x, y) {
    const cls = looks(own);
    const points = own.points.filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b));
    (own.bars || []).forEach(([a, low, high]) => svg.append(S.svg("path", { class: cls + " bar", d: `M${x(a)} ${y(low)}V${y(high)}M${x(a) - 3} ${y(low)}h6M${x(a) - 3} ${y(high)}h6` })));
    if (own.kind !== "marks" && points.length) {
      svg.append(S.svg("path", { class: cls + " line", d: "M" + points.map(([a, b]) => x(a).toFixed(1) + " " + y(b).toFixed(1)).join("L") }));
    }
    if (own.kind === "line") return;
    for (const [a, b, text, size] of points) svg.append(mark(own.set || 0, x(a), y(b), size || 4, cls, text));
  }
  function mark(set, cx, cy, r, cls, text) {
    const shape = set === 1
      ? S.svg("rect", { class: cls + " mark", x: cx - r, y: cy - r, width: 2 * r, height: 2 * r })
      : S.svg("circle", { class: cls + " mark", cx: cx, cy: cy, r: r });
    if (text) shape.append(S.svg("title", {}, text));
    return shape;
  }

  S.legend = (series) => S.el("ul", { class: "legend" }, series.map((own) => S.el("li", {}, S.svg("svg", { viewBox: "0 0 30 12", "aria-hidden": "true" },
    own.kind === "marks" ? null : S.svg("path", { class: looks(own) + " line", d: "M1 6H29" }),
    own.kind === "line" ? null : mark(own.set || 0, 15, 6, 4, looks(own))), own.name)));

  // Ratios with their intervals, one row each: {name, rule, ratios: [{value, low, high} or null, ...]}; 1 is as expected.
  S.ratios = function (rows, label) {
    const all = rows.flatMap((row) => row.ratios.filter((own) => own));
    const low = Math.max(0.1, Math.min(0.7, ...all.map((own) => own.low || 0.1))), high = Math.min(10, Math.max(1.4, ...all.map((own) => own.high)));
    const width = 560, left = 150, step = 14 * S.sets.length + 10, height = rows.length * step + 34;
    const x = (v) => left + (Math.log(Math.max(low, Math.min(high, v)) / low) / Math.log(high / low)) * (width - left - 16);
    const svg = S.svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart ratios", role: "img", "aria-label": label + ". Its numbers are in the table below it." });
    for (const tick of [0.1, 0.2, 0.5, 0.7, 1, 1.4, 2, 5, 10].filter((v) => v >= low * 0.999 && v <= high * 1.001)) {
      svg.append(S.svg("line", { class: tick === 1 ? "guide" : "grid", x1: x(tick), x2: x(tick), y1: 4, y2: height - 30 }), S.svg("text", { class: "tick", x: x(tick), y: height - 16, "text-anchor": "middle" }, S.number(tick, 2)));
    }
    svg.append(S.svg("text", { class: "axis", x: (left + width) / 2, y: height - 2, "text-anchor": "middle" }, label));
    rows.forEach((row, i) => {
      const top = i * step + 6;
      svg.append(S.svg("text", { class: "tick", x: left - 10, y: top + step / 2, "text-anchor": "end" }, S.clip(row.name, 24), S.svg("title", {}, S.clip(row.rule, 400))));
      row.ratios.forEach((own, set) => {
        if (!own) return;
        const y = top + 8 + set * 14;
        svg.append(S.svg("path", { class: `series set${set} bar`, d: `M${x(own.low)} ${y}H${x(own.high)}M${x(own.low)} ${y - 3}v6M${x(own.high)} ${y - 3}v6` }), mark(set, x(own.value), y, 4, "series set" + set, S.number(own.value, 3)));
      });
    });
    return S.sets.length > 1 ? S.el("div", {}, svg, S.legend(S.sets.map((name, set) => ({ name: name, kind: "marks", set: set })))) : svg;
  };

  // Horizontal bars: rows of {name, values: [share of the longest, ...], texts}. One bar for each data set.
  S.bars = function (rows, label) {
    const most = Math.max(1e-300, ...rows.flatMap((row) => row.values));
    return S.el("div", { class: "bars", role: "img", "aria-label": label + ". Its numbers are in the table below it." }, rows.map((row) =>
      S.el("div", { class: "bar-row" }, S.el("span", { class: "bar-name", title: S.clip(row.name, 300) }, S.clip(row.name, 34)),
        S.el("span", { class: "bar-track" }, row.values.map((value, set) => S.el("span", { class: "bar-fill set" + set, style: `width:${(100 * Math.max(0, value)) / most}%` }))),
        S.el("span", { class: "bar-text" }, row.texts[0]))));
  };
})(window.Spinney);
