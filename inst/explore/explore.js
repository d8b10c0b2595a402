"use strict";
// The page of explore(): one slider, and readouts and panels that follow it. Everything is described by the data in the page; names come
// from users and reach the document as text only.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const slider = document.getElementById("slider");
  const positions = data.slider.values;
  const state = { at: data.slider.start, lit: null };
  const panels = [];

  // ---- small tools ------------------------------------------------------------------------------------------------
  function element(tag, attributes, text) {
    const node = document.createElement(tag);
    for (const name in attributes) node.setAttribute(name, attributes[name]);
    if (text !== undefined) node.textContent = text;
    return node;
  }
  function drawn(tag, attributes, text) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const name in attributes) node.setAttribute(name, attributes[name]);
    if (text !== undefined) node.textContent = text;
    return node;
  }
  function show(value) {
    if (value === null || value === undefined) return "–";
    if (typeof value !== "number") return String(value);
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(2).replace("e+", "e");
    return String(Number(value.toPrecision(5)));
  }
  function extent(values) {
    let low = Infinity, high = -Infinity;
    for (const v of values) if (known(v)) { if (v < low) low = v; if (v > high) high = v; }
    return { low, high };
  }
  const known = (value) => typeof value === "number" && isFinite(value);
  const colour = (series) => (series.colour < 0 ? "rest" : "c" + series.colour % 7);

  // ---- axes -------------------------------------------------------------------------------------------------------
  function scale(values, log, from, to) {
    let usable = values.filter((v) => known(v) && (!log || v > 0)).map((v) => (log ? Math.log10(v) : v));
    if (!usable.length) usable = [0, 1];
    let { low, high } = extent(usable);
    if (low === high) { const pad = log ? 0.5 : Math.max(Math.abs(low), 1) * 0.1; low -= pad; high += pad; }
    const map = (v) => from + ((log ? Math.log10(v) : v) - low) / (high - low) * (to - from);
    return { map, low, high, log };
  }
  function ticks(axis, most) {
    if (axis.log) {
      const first = Math.ceil(axis.low - 1e-9), last = Math.floor(axis.high + 1e-9), found = [];
      if (last - first >= 2) {
        const step = Math.ceil((last - first + 1) / most);
        for (let e = first; e <= last; e++) if (((e % step) + step) % step === 0) found.push({ v: Math.pow(10, e), e });
        return found;
      }
      for (let e = first - 1; e <= last + 1; e++) for (const m of [1, 2, 5]) {
        const v = m * Math.pow(10, e);
        if (Math.log10(v) >= axis.low - 1e-9 && Math.log10(v) <= axis.high + 1e-9) found.push({ v });
      }
      return found;
    }
    const raw = (axis.high - axis.low) / most, power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.7);
    const found = [];
    for (let k = Math.ceil(axis.low / step - 1e-9); k <= axis.high / step + 1e-9; k++) found.push({ v: Number((k * step).toPrecision(12)) });
    return found;
  }
  function tickText(tick, x, y, anchor) {
    const node = drawn("text", { x, y, "text-anchor": anchor });
    if (tick.e === undefined) { node.textContent = show(tick.v); return node; }
    node.append("10", drawn("tspan", { dy: -4, "font-size": 8 }, String(tick.e)));
    return node;
  }
  // Heights at least `apart` from one another, as near as can be to those given: neighbours that collide share what they lack.
  function repel(wanted, apart, low, high) {
    const order = wanted.map((y, k) => k).sort((a, b) => wanted[a] - wanted[b]);
    const gap = Math.min(apart, (high - low) / Math.max(order.length - 1, 1));
    const blocks = [];
    order.forEach((k, rank) => {
      blocks.push({ mean: wanted[k] - rank * gap, members: [k] });
      while (blocks.length > 1 && blocks[blocks.length - 2].mean > blocks[blocks.length - 1].mean) {
        const b = blocks.pop(), a = blocks.pop(), n = a.members.length, m = b.members.length;
        blocks.push({ mean: (a.mean * n + b.mean * m) / (n + m), members: a.members.concat(b.members) });
      }
    });
    const out = [];
    let rank = 0;
    const top = high - gap * (order.length - 1);
    for (const block of blocks) for (const k of block.members) out[k] = Math.min(Math.max(block.mean, low), top) + gap * rank++;
    return out;
  }

  // ---- a panel of curves ------------------------------------------------------------------------------------------
  function curvesPanel(spec, section) {
    const svg = drawn("svg", { role: "img", "aria-label": spec.title });
    const hint = element("p", { class: "hint" }, spec.hint || "");
    if (spec.legend || spec.band) section.append(legend(spec));
    section.append(svg, hint);
    const log = spec.log || "";
    const xs = spec.x || positions;
    let frame = null;

    function draw() {
      const width = Math.max(section.clientWidth - 26, 200), height = Math.max(170, Math.min(260, width * 0.58));
      const ends = spec.series.filter((s) => s.label);
      const names = Math.max(0, ...ends.map((s) => Math.min(s.name.length, 22)));
      const right = ends.length ? Math.min(18 + 6.2 * names, width * 0.38) : 12;
      svg.setAttribute("viewBox", "0 0 " + width + " " + height);
      svg.setAttribute("height", height);
      svg.replaceChildren();
      const box = { left: 46, right: width - right, top: spec.marks && spec.marks.length ? 30 : 10, bottom: height - 36 };
      let values = spec.series.flatMap((s) => s.y).concat(spec.band || []);
      if (spec.low) values = values.concat(spec.low, spec.high);
      const x = scale(xs, log.includes("x"), box.left + 6, box.right - 4);
      const y = scale(values, log.includes("y"), box.bottom - 6, box.top + 4);
      frame = { x, y, box };
      axes(frame, width, height);
      if (spec.band) band(frame);
      if (spec.zero) svg.append(drawn("line", { class: "zero", x1: box.left, x2: box.right, y1: y.map(0), y2: y.map(0) }));
      marks(frame);
      if (spec.low) xs.forEach((v, k) => {
        if (!known(spec.low[k])) return;
        svg.append(drawn("line", { class: "bar", x1: x.map(v), x2: x.map(v), y1: y.map(spec.low[k]), y2: y.map(spec.high[k]) }));
      });
      spec.series.forEach((series, k) => svg.append(...curve(series, k, frame)));
      endNames(frame);
      frame.cursor = drawn("line", { class: "cursor", y1: box.top, y2: box.bottom });
      frame.dots = drawn("g", {});
      frame.said = drawn("text", { class: "said" });
      svg.append(frame.cursor, frame.dots, frame.said);
      move();
      light();
    }
    function axes(f, width, height) {
      for (const tick of ticks(f.x, Math.max(2, Math.floor((f.box.right - f.box.left) / 60)))) {
        svg.append(drawn("line", { class: "grid", x1: f.x.map(tick.v), x2: f.x.map(tick.v), y1: f.box.top, y2: f.box.bottom }),
          tickText(tick, f.x.map(tick.v), f.box.bottom + 15, "middle"));
      }
      for (const tick of ticks(f.y, Math.max(2, Math.floor((f.box.bottom - f.box.top) / 38)))) {
        if (spec.whole && tick.v % 1) continue;
        svg.append(drawn("line", { class: "grid", x1: f.box.left, x2: f.box.right, y1: f.y.map(tick.v), y2: f.y.map(tick.v) }),
          tickText(tick, f.box.left - 5, f.y.map(tick.v) + 4, "end"));
      }
      svg.append(drawn("text", { x: (f.box.left + f.box.right) / 2, y: height - 5, "text-anchor": "middle" }, spec.xlab || data.slider.label));
    }
    function band(f) {
      const points = xs.map((v, k) => [v, spec.band[k]]).filter((p) => known(p[1]) && p[1] > 0 && (!f.x.log || p[0] > 0));
      if (!points.length) return;
      const top = points.map((p) => f.x.map(p[0]) + "," + Math.min(f.y.map(p[1]), f.box.bottom)).join(" ");
      const ends = [points[points.length - 1][0], points[0][0]].map((v) => f.x.map(v) + "," + f.box.bottom).join(" ");
      svg.append(drawn("polygon", { class: "band", points: top + " " + ends }));
    }
    function marks(f) {
      (spec.marks || []).forEach((mark, k) => {
        const at = f.x.map(mark.x), first = spec.marks.length > 1 && k === 0, wide = 6.2 * mark.label.length;
        const leftwards = at - wide < f.box.left ? false : at + wide > f.box.right ? true : first;
        svg.append(drawn("line", { class: "mark", x1: at, x2: at, y1: f.box.top - 20, y2: f.box.bottom }),
          drawn("text", { x: at + (leftwards ? -4 : 4), y: f.box.top - 10 + 12 * k, "text-anchor": leftwards ? "end" : "start" }, mark.label));
      });
    }
    function curve(series, k, f) {
      let path = "", pen = false;
      const nodes = [], single = series.y.filter(known).length === 1;
      series.y.forEach((v, i) => {
        const on = known(v) && (!f.y.log || v > 0) && (!f.x.log || xs[i] > 0);
        if (on) path += (pen ? "L" : "M") + f.x.map(xs[i]).toFixed(1) + " " + f.y.map(v).toFixed(1);
        pen = on;
        if (!on || !(series.points || single)) return;
        nodes.push(drawn("circle", { class: "dot " + colour(series), cx: f.x.map(xs[i]), cy: f.y.map(v), r: 2.6 }));
      });
      const line = drawn("path", { class: "curve " + colour(series) + (series.points ? " points" : ""), d: path || "M0 0", "data-k": k });
      line.append(drawn("title", {}, series.name));
      return series.line === false ? nodes : [line, ...nodes];
    }
    function endNames(f) {
      const ends = spec.series.map((series, k) => ({ series, k })).filter((end) => end.series.label);
      for (const end of ends) {
        end.i = end.series.y.reduce((last, v, i) => (known(v) ? i : last), -1);
        end.y = end.i < 0 ? f.box.bottom : f.y.map(end.series.y[end.i]);
      }
      const room = Math.floor((f.box.bottom - f.box.top) / 12) + 1;
      const shown = ends.slice(0, room), at = repel(shown.map((end) => end.y), 12, f.box.top, f.box.bottom);
      const letters = Math.floor((svg.viewBox.baseVal.width - f.box.right - 16) / 5.8);
      shown.forEach((end, j) => {
        const name = end.series.name, cut = name.length > letters ? name.slice(0, Math.max(letters - 1, 1)) + "…" : name;
        const from = { x1: end.i < 0 ? f.box.right : f.x.map(xs[end.i]) + 1, y1: end.y };
        svg.append(drawn("line", { class: "link " + colour(end.series), "data-k": end.k, ...from, x2: f.box.right + 9, y2: at[j] }),
          drawn("text", { class: "end " + colour(end.series), "data-k": end.k, x: f.box.right + 12, y: at[j] + 4 }, cut));
      });
    }
    // The cursor, and a dot where it meets each curve in colour.
    function move() {
      const value = positions[state.at], f = frame;
      if (spec.still || (f.x.log && value <= 0)) { f.cursor.setAttribute("visibility", "hidden"); return; }
      const at = Math.min(Math.max(f.x.map(value), f.box.left), f.box.right);
      f.cursor.setAttribute("x1", at);
      f.cursor.setAttribute("x2", at);
      f.dots.replaceChildren();
      const i = xs.indexOf(value);
      if (i < 0) return;
      spec.series.forEach((series, k) => {
        const v = series.y[i], on = series.colour >= 0 && known(v) && (!f.y.log || v > 0);
        if (on) f.dots.append(drawn("circle", { class: "dot " + colour(series), "data-k": k, cx: at, cy: f.y.map(v), r: 4.5 }));
      });
    }
    // The curve that a name was pointed at.
    function light() {
      if (!spec.named) return;
      const f = frame, k = spec.series.findIndex((series) => series.name === state.lit);
      svg.querySelectorAll("[data-k]").forEach((node) => {
        node.classList.toggle("lit", Number(node.dataset.k) === k && node.classList.contains("curve"));
        node.classList.toggle("dim", k >= 0 && Number(node.dataset.k) !== k);
      });
      f.said.textContent = "";
      if (k < 0) return;
      const v = spec.series[k].y[xs.indexOf(positions[state.at])], height = known(v) ? f.y.map(v) : f.y.map(0);
      f.said.textContent = spec.series[k].name + " " + show(known(v) ? v : 0);
      f.said.setAttribute("x", Number(f.cursor.getAttribute("x1")) + 6);
      f.said.setAttribute("y", Math.max(height - 8, f.box.top + 10));
      const over = f.said.getComputedTextLength() + Number(f.said.getAttribute("x")) - svg.viewBox.baseVal.width;
      if (over > 0) f.said.setAttribute("x", Number(f.said.getAttribute("x")) - over - 4);
    }
    function pointed(event) {
      const area = svg.getBoundingClientRect(), f = frame;
      const px = (event.clientX - area.left) * svg.viewBox.baseVal.width / area.width;
      const py = (event.clientY - area.top) * svg.viewBox.baseVal.height / area.height;
      const near = (list) => list.reduce((best, v, i) => (Math.abs(f.x.map(v) - px) < Math.abs(f.x.map(list[best]) - px) ? i : best), 0);
      return { position: near(positions), i: near(xs), py };
    }
    svg.addEventListener("pointermove", (event) => {
      const where = pointed(event);
      if (event.buttons & 1 && !spec.still) go(where.position);
      if (!spec.named) return;
      let best = null, least = 14;
      for (const series of spec.series) {
        const v = series.y[where.i], far = known(v) ? Math.abs(frame.y.map(v) - where.py) : Infinity;
        if (far < least) { least = far; best = series.name; }
      }
      lit(best);
    });
    svg.addEventListener("pointerdown", (event) => { if (!spec.still) go(pointed(event).position); });
    svg.addEventListener("pointerleave", () => { if (spec.named) lit(null); });
    return { draw, move: () => { move(); light(); }, light };
  }
  function legend(spec) {
    const list = element("ul", { class: "legend" });
    for (const series of spec.legend ? spec.series : []) {
      const item = element("li", {});
      item.append(element("i", { class: colour(series) }), series.name);
      list.append(item);
    }
    if (spec.band) {
      const item = element("li", {});
      item.append(element("i", { class: "area" }), "within the tolerance");
      list.append(item);
    }
    return list;
  }

  // ---- a table with bars ------------------------------------------------------------------------------------------
  function barsPanel(spec, section) {
    const table = element("table", {}), body = element("tbody", {});
    table.append(element("caption", { class: "unseen" }, spec.title), heading([spec.terms_label || "name", "value", ""]), body);
    const hint = element("p", { class: "hint" });
    section.append(table, hint);
    const reach = extent(spec.values.flat()), signed = reach.low < 0, whole = signed ? 50 : 100;
    let most = 1;

    // The longest bar is the largest value at this radius: early on a path all of them would be hairlines beside those at its end.
    function move() {
      const row = spec.values[spec.still ? 0 : state.at];
      const here = extent(row);
      most = Math.max(Math.abs(here.low), Math.abs(here.high), 1e-300);
      const used = row.map((v, k) => k).filter((k) => known(row[k]) && row[k] !== 0).sort((a, b) => Math.abs(row[b]) - Math.abs(row[a]));
      body.replaceChildren(...used.slice(0, spec.most).map((k) => line(spec.names[k], row[k])));
      const rest = used.length - Math.min(used.length, spec.most);
      hint.textContent = (used.length ? "" : "none") + (rest > 0 ? "and " + rest + " smaller" : "");
      light();
    }
    function line(name, value) {
      const row = element("tr", { tabindex: 0, "data-name": name });
      const stem = element("td", { class: signed ? "stem signed" : "stem", "aria-hidden": "true" });
      const share = whole * Math.abs(value) / most, bar = element("b", { class: value < 0 ? "minus" : "plus" }), span = element("span", {});
      bar.style.width = share + "%";
      bar.style.left = (!signed ? 0 : value < 0 ? 50 - share : 50) + "%";
      span.append(bar);
      stem.append(span);
      row.append(element("td", {}, name), element("td", { class: "number" }, show(value)), stem);
      row.addEventListener("focus", () => lit(name));
      row.addEventListener("blur", () => lit(null));
      row.addEventListener("pointerenter", () => lit(name));
      row.addEventListener("pointerleave", () => lit(null));
      return row;
    }
    function light() {
      for (const row of body.rows) row.style.fontWeight = row.dataset.name === state.lit ? "700" : "";
    }
    return { draw: move, move, light };
  }
  function heading(words) {
    const head = element("thead", {}), row = element("tr", {});
    words.forEach((word, k) => row.append(element("th", { scope: "col", class: k === 1 ? "number" : "" }, word)));
    head.append(row);
    return head;
  }

  // ---- a user's list ----------------------------------------------------------------------------------------------
  function topPanel(spec, section) {
    const select = element("select", { id: "user" }), table = element("table", {}), body = element("tbody", {});
    spec.users.forEach((user, k) => select.append(element("option", { value: k }, user)));
    const label = element("label", { for: "user" }, spec.user_label + " ");
    label.append(select);
    table.append(element("caption", { class: "unseen" }, spec.title), heading([spec.item_label, "prediction", ""]), body);
    section.append(label, table, element("p", { class: "hint" }, spec.hint || ""));
    const all = spec.lists.flat().flatMap((list) => list[1]);
    const { low, high } = extent(all);

    function move() {
      const list = spec.lists[spec.still ? 0 : state.at][Number(select.value)] || [[], []];
      if (!list[0].length) {
        const row = element("tr", {});
        row.append(element("td", { colspan: 3 }, "everything here was observed"));
        body.replaceChildren(row);
        return;
      }
      body.replaceChildren(...list[0].map((item, k) => {
        const row = element("tr", {}), stem = element("td", { class: "stem", "aria-hidden": "true" });
        const bar = element("b", {}), span = element("span", {});
        bar.style.left = "0";
        bar.style.width = (high > low ? 5 + 95 * (list[1][k] - low) / (high - low) : 100) + "%";
        span.append(bar);
        stem.append(span);
        row.append(element("td", {}, spec.items[item]), element("td", { class: "number" }, show(list[1][k])), stem);
        return row;
      }));
    }
    select.addEventListener("change", () => { move(); say(); });
    return { draw: move, move, light: () => {} };
  }

  // ---- the page ---------------------------------------------------------------------------------------------------
  function lit(name) {
    if (name === state.lit) return;
    state.lit = name;
    for (const panel of panels) panel.light();
  }
  function go(at) {
    at = Math.min(Math.max(Math.round(at), 0), positions.length - 1);
    if (at === state.at && slider.value === String(at)) return;
    state.at = at;
    slider.value = at;
    update();
  }
  function update() {
    document.getElementById("slider-value").textContent = show(positions[state.at]);
    slider.setAttribute("aria-valuetext", data.slider.label + " " + show(positions[state.at]));
    data.readouts.forEach((readout, k) => {
      document.getElementById("readout-" + k).textContent = show(readout.values[readout.values.length === 1 ? 0 : state.at]);
    });
    for (const panel of panels) panel.move();
    say();
  }
  // One sentence for those who listen, when the slider rests.
  let waiting = null;
  function say() {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const parts = data.readouts.map((readout) => readout.label + " " + show(readout.values[readout.values.length === 1 ? 0 : state.at]));
      document.getElementById("live").textContent = data.slider.label + " " + show(positions[state.at]) + ": " + parts.join(", ") + ".";
    }, 400);
  }
  function build() {
    slider.max = positions.length - 1;
    slider.value = state.at;
    slider.disabled = positions.length < 2;
    document.getElementById("slider-label").textContent = data.slider.label;
    document.getElementById("note").textContent = data.note || "";
    slider.addEventListener("input", () => go(Number(slider.value)));
    document.getElementById("control").addEventListener("submit", (event) => event.preventDefault());
    for (const jump of data.jumps || []) {
      const button = element("button", { type: "button" }, jump.label);
      button.addEventListener("click", () => go(jump.at));
      document.getElementById("jumps").append(button);
    }
    data.readouts.forEach((readout, k) => {
      const cell = element("div", {});
      cell.append(element("dt", {}, readout.label), element("dd", { id: "readout-" + k }));
      document.getElementById("readouts").append(cell);
    });
    const kinds = { curves: curvesPanel, bars: barsPanel, top: topPanel };
    data.panels.forEach((spec, k) => {
      const section = element("section", { id: "panel-" + k, "aria-labelledby": "panel-title-" + k });
      section.append(element("h2", { id: "panel-title-" + k }, spec.title));
      document.getElementById("panels").append(section);
      panels.push(kinds[spec.type](spec, section));
    });
    for (const panel of panels) panel.draw();
    update();
    let wide = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth === wide) return;
      wide = window.innerWidth;
      for (const panel of panels) panel.draw();
    });
  }
  build();
}());
