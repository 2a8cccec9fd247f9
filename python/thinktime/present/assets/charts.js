"use strict";
// Pictures are drawn already. This shows the values under the pointer, hides series, zooms, and
// saves a picture as a PNG. A place on an axis is a share of it: 0 at the left or the bottom.
(function () {
  const FIELD = 10000;
  const NEAR_PX = 36;
  const DRAG_PX = 8;
  const SAVED = { width: 1000, scale: 2, margin: 24 };
  const SVG = "http://www.w3.org/2000/svg";
  const known = new WeakMap(); // what is known of each chart: its figure, hidden groups and zoom

  // ---- numbers, as in units.py

  function number(value, digits) {
    if (!value) return "0";
    const short = Number(value.toPrecision(digits));
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(short)) + 1e-9));
    const text = short.toLocaleString("en", {
      minimumFractionDigits: decimals, maximumFractionDigits: decimals,
    });
    return text.replace("-", "\u2212");
  }

  // The digits that a value needs, up to some.
  const needed = (value, most) =>
    [1, 2, 3, 4].find((n) => n === most || Math.abs(value.toPrecision(n) / value - 1) < 1e-9);

  const TIMES = [[3600, "h", 7200], [60, "min", 120], [1, "s", 1], [1e-3, "ms", 1e-3],
    [1e-6, "µs", 1e-6], [1e-9, "ns", 0]];
  function seconds(value, digits) {
    if (!value) return "0 s";
    const short = Math.abs(Number(value.toPrecision(digits)));
    const [scale, unit] = TIMES.find(([, , from]) => short >= from * (1 - 1e-9));
    return `${number(value / scale, digits)} ${unit}`;
  }
  const SIZES = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];
  function size(value, digits) {
    const [scale, unit] = SIZES.find(([from]) => Math.abs(value) >= from) || SIZES[3];
    return `${number(value / scale, digits)} ${unit}`;
  }

  function text(axis, value, digits = 0) {
    if (axis.names) return axis.names[Math.round(value)] ?? "";
    const most = digits || needed(value, 4);
    if (axis.kind === "time") return seconds(value, digits || 3);
    if (axis.kind === "size") return size(value, digits || 3);
    if (axis.kind === "share") return `${number(100 * value, digits || needed(100 * value, 4))} %`;
    return number(value, most) + (axis.kind === "ratio" ? " ×" : "");
  }

  // ---- axes

  function place(axis, value) {
    if (value === null || value === undefined) return NaN;
    const { low, high } = axis;
    if (!axis.log) return (value - low) / (high - low);
    return Math.log(value / low) / Math.log(high / low);
  }
  const valueAt = ({ low, high, log }, share) =>
    log ? low * (high / low) ** share : low + share * (high - low);

  // Round values between two, as many as have room.
  function ticks(axis, low, high, most) {
    if (axis.log && high / low > 8) {
      const found = [];
      for (let ten = Math.floor(Math.log10(low)); ten <= Math.log10(high); ten += 1) {
        for (const digit of high / low > 300 ? [1] : [1, 3]) found.push(digit * 10 ** ten);
      }
      return found.filter((one) => one >= low && one <= high);
    }
    const power = 10 ** Math.floor(Math.log10((high - low) / most));
    const step = [1, 2, 5, 10, 20, 50].map((one) => one * power)
      .find((one) => (high - low) / one <= most);
    const count = Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1;
    return Array.from({ length: count }, (_, n) => (Math.ceil(low / step - 1e-9) + n) * step);
  }

  // ---- what is on the page

  const charts = () => [...document.querySelectorAll(".chart")];
  const svgOf = (chart) => chart.querySelector(".plot > svg");

  function of(chart) {
    const json = chart.querySelector("script");
    const before = known.get(chart);
    if (before?.json === json) return before;
    const figure = JSON.parse(json.textContent);
    const xs = [];
    for (const one of figure.series) {
      if (typeof one.x === "number") one.x = xs[one.x];
      else xs.push(one.x);
    }
    const now = { hidden: new Set(), zoom: [0, 1], ...before, json, figure, counts: null };
    known.set(chart, now);
    return now;
  }

  function refresh(chart) {
    const { hidden, zoom } = of(chart);
    for (const part of chart.querySelectorAll("[data-group]")) {
      part.toggleAttribute("hidden", hidden.has(part.dataset.group));
    }
    if (zoom[0] !== 0 || zoom[1] !== 1) show(chart);
  }

  // ---- values under the pointer

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);

  // A point of a series that is nearest to a place in pixels, and its distance.
  function nearest(one, figure, at, width, height, zoom) {
    let best = null;
    const span = zoom[1] - zoom[0];
    const across = (value) => (place(figure.x, value) - zoom[0]) / span * width;
    one.x.forEach((x, n) => {
      if (one.y[n] === null) return;
      const from = one.kind === "turns" ? one.low[n] : x;
      const until = one.kind === "turns" ? one.high[n]
        : one.kind === "step" ? one.x[n + 1] ?? x : x;
      const [a, b] = [across(from), across(until)];
      const y = (1 - place(figure.y, one.y[n])) * height;
      const aside = at.x < a ? a - at.x : at.x > b ? at.x - b : 0;
      const away = Math.abs(at.y - y);
      const far = one.kind === "turns" ? Math.hypot(aside, Math.max(0, away - 13))
        : Math.hypot(aside, away);
      if (!best || far < best.far) best = { far, n, one, x: Math.min(Math.max(at.x, a), b), y };
    });
    return best;
  }

  function pointWords({ one, n }, figure) {
    const [x, y] = [text(figure.x, one.x[n]), text(figure.y, one.y[n])];
    if (one.words) return one.words[n];
    const ends = one.low && one.low[n] !== null && !figure.y.names
      ? ` (${text(figure.y, one.low[n])} to ${text(figure.y, one.high[n])})` : "";
    return one.phrase.replace("{x}", x).replace("{y}", y + ends);
  }

  // The counts are the opacities of a picture, whose steps go with the logarithm: see raster.py.
  function counts(chart) {
    const now = of(chart);
    if (now.counts) return now.counts;
    const image = chart.querySelector("image");
    const made = Object.assign(new Image(), { src: image.getAttribute("href") });
    now.counts = made.decode().then(() => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [made.naturalWidth, made.naturalHeight];
      const pen = canvas.getContext("2d");
      pen.drawImage(made, 0, 0);
      return pen.getImageData(0, 0, canvas.width, canvas.height);
    });
    return now.counts;
  }

  async function cellWords(chart, across, up) {
    const { figure } = of(chart);
    const { cells } = figure;
    const [x, y] = [[cells.x, figure.x, across], [cells.y, figure.y, up]].map(([ends, axis, at]) => {
      const [a, b] = ends.map((one) => place(axis, one));
      return (at - a) / (b - a);
    });
    if (x < 0 || x >= 1 || y < 0 || y >= 1) return "";
    const [columns, rows] = cells.shape;
    const [column, row] = [Math.floor(x * columns), Math.floor(y * rows)];
    const pixels = await counts(chart);
    const opacity = pixels.data[4 * ((rows - 1 - row) * columns + column) + 3];
    if (!opacity) return "";
    const many = Math.round(Math.expm1((opacity - 47) / 208 * Math.log1p(cells.most))) || 1;
    const between = (ends, axis, n, of) => [n, n + 1].map((one) => {
      const [a, b] = ends.map((end) => place(axis, end));
      return text(axis, valueAt(axis, a + one / of * (b - a)), 3);
    }).join(" to ");
    const told = many > 12 ? `about ${number(many, 2)}` : many; // steps of a few are exact
    return `${told} ${many === 1 ? "request" : "requests"}\n` +
      `${between(cells.y, figure.y, row, rows)}\nat ${between(cells.x, figure.x, column, columns)}`;
  }

  let asked = 0;
  async function look(chart, event) {
    const { figure, hidden, zoom } = of(chart);
    const box = svgOf(chart).getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    asked += 1;
    const own = asked;
    if (at.x < -9 || at.y < -9 || at.x > box.width + 9 || at.y > box.height + 9) return hide();
    const near = figure.series.filter((one) => !hidden.has(one.group))
      .map((one) => nearest(one, figure, at, box.width, box.height, zoom))
      .filter((one) => one && one.far <= (figure.cells ? 8 : NEAR_PX))
      .sort((a, b) => a.far - b.far)[0];
    if (near) return say(near.one.name, pointWords(near, figure), event, chart, near);
    const across = zoom[0] + at.x / box.width * (zoom[1] - zoom[0]);
    const words = figure.cells ? await cellWords(chart, across, 1 - at.y / box.height) : "";
    if (own !== asked) return null;
    return words ? say("", words, event, chart, null) : hide();
  }

  function say(name, words, event, chart, near) {
    tip.replaceChildren(...(name ? [Object.assign(document.createElement("b"), { textContent: name }),
      "\n"] : []), words);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const right = event.clientX + 14 + width > innerWidth;
    tip.style.left = `${scrollX + (right ? Math.max(4, event.clientX - 14 - width) : event.clientX + 14)}px`;
    tip.style.top = `${scrollY + Math.max(4, event.clientY - height - 10)}px`;
    ring(chart, near);
  }

  function hide() {
    tip.hidden = true;
    document.querySelector(".plot .found")?.remove();
  }

  function ring(chart, near) {
    document.querySelector(".plot .found")?.remove();
    if (!near || near.one.kind === "turns") return;
    const made = document.createElementNS(SVG, "circle");
    made.setAttribute("class", "found");
    for (const [name, value] of [["cx", near.x], ["cy", near.y], ["r", 5]]) {
      made.setAttribute(name, String(value));
    }
    svgOf(chart).append(made);
  }

  // ---- zoom: a part of the field is shown

  function show(chart) {
    const { figure, zoom: [a, b] } = of(chart);
    const svg = svgOf(chart);
    const whole = a === 0 && b === 1;
    svg.querySelector(".field").setAttribute("viewBox", `${a * FIELD} 0 ${(b - a) * FIELD} ${FIELD}`);
    for (const part of svg.querySelectorAll(".marks [x], .limits .x")) {
      part.share ??= parseFloat(part.getAttribute("x")) / 100;
      const now = (part.share - a) / (b - a);
      part.setAttribute("x", `${100 * now}%`);
      part.toggleAttribute("hidden", now < 0 || now > 1);
      const room = Number(part.dataset.wide) / (b - a) * svg.clientWidth;
      if (part.dataset.wide) part.classList.toggle("small", room < part.textContent.length * 7 + 2);
    }
    for (const part of svg.querySelectorAll(".ticks .x, .grid .x")) part.toggleAttribute("hidden", !whole);
    svg.querySelector(".zoomed")?.remove();
    if (!whole) svg.append(zoomedTicks(figure.x, a, b, svg.clientWidth));
    toolsOf(chart).querySelector(".reset").hidden = whole;
  }

  function zoomedTicks(axis, a, b, width) {
    const made = document.createElementNS(SVG, "g");
    made.setAttribute("class", "ticks zoomed");
    const [low, high] = [valueAt(axis, a), valueAt(axis, b)];
    const most = Math.max(2, Math.min(6, Math.floor(width / 90)));
    for (const tick of ticks(axis, low, high, most)) {
      const label = document.createElementNS(SVG, "text");
      label.setAttribute("x", `${100 * (place(axis, tick) - a) / (b - a)}%`);
      label.setAttribute("y", "100%");
      label.setAttribute("dy", "16");
      label.setAttribute("text-anchor", "middle");
      const digits = Math.ceil(Math.log10(Math.abs(tick) / (high - low) + 1)) + 2;
      label.textContent = text(axis, tick, tick ? Math.min(needed(tick, 4), digits) : 1);
      made.append(label);
    }
    return made;
  }

  function zoomTo(chart, zoom) {
    const linked = chart.closest("[data-linked]");
    for (const one of linked ? linked.querySelectorAll(".chart") : [chart]) {
      of(one).zoom = zoom;
      show(one);
    }
  }

  // A mouse or a pen drags out a part. A finger scrolls the page.
  function drag(chart, event) {
    const box = svgOf(chart).getBoundingClientRect();
    const within = (one) => Math.min(Math.max(one.clientX, box.left), box.right);
    const begin = within(event);
    const pick = document.createElement("div");
    pick.className = "pick";
    const move = (now) => {
      const [from, to] = [begin, within(now)].sort((a, b) => a - b);
      if (to - from < DRAG_PX && !pick.isConnected) return;
      document.body.append(pick);
      Object.assign(pick.style, {
        left: `${from + scrollX}px`, width: `${to - from}px`,
        top: `${box.top + scrollY}px`, height: `${box.height}px`,
      });
      hide();
    };
    const end = (now) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      pick.remove();
      const [from, to] = [begin, within(now)].sort((a, b) => a - b);
      if (to - from < DRAG_PX) return;
      const [a, b] = of(chart).zoom;
      const share = (one) => a + (one - box.left) / box.width * (b - a);
      zoomTo(chart, [share(from), share(to)]);
    };
    event.preventDefault();
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
  }

  // ---- a picture for a slide: with title, legend and origin

  function make(name, attributes, text = "") {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.textContent = text;
    return made;
  }

  function styles() {
    const root = getComputedStyle(document.documentElement);
    const names = ["ink", "soft", "faint", "rule", "grid", "paper", "raised", "sans", "shade-1",
      "shade-2", "shade-3", "shade-4", "met", "failed"];
    const values = names.map((name) => `--${name}:${root.getPropertyValue(`--${name}`)}`).join(";");
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
      .filter((rule) => rule.selectorText?.startsWith(".plot")).map((rule) => rule.cssText);
    return make("style", {}, `svg{${values}}${rules.join("")}`);
  }

  // The entries of a legend in lines, and the height below them.
  function legendOf(chart, out, top) {
    let [x, y] = [SAVED.margin, top];
    for (const item of chart.closest("figure").querySelectorAll(".legend li")) {
      const words = item.textContent.trim();
      const wide = 44 + words.length * 6.9;
      if (x + wide > SAVED.width - SAVED.margin) [x, y] = [SAVED.margin, y + 20];
      const line = item.querySelector("line");
      const mark = item.querySelector(".dot, .box, .scale");
      const style = getComputedStyle(line || mark || item);
      const colour = line ? style.stroke : mark?.matches(".scale") ? style.color : style.backgroundColor;
      const dash = line?.getAttribute("stroke-dasharray") || "none";
      const width = line ? { "stroke-width": 2.5, "stroke-dasharray": dash } : { "stroke-width": 9 };
      const ends = line ? { x1: x, x2: x + 26 } : { x1: x + 12, x2: x + 21 };
      out.append(make("line", { ...ends, y1: y - 4, y2: y - 4, stroke: colour, ...width }));
      out.append(make("text", { x: x + 32, y, style: "fill: var(--ink)" }, words));
      x += wide;
    }
    return y + 10;
  }

  function standalone(chart) {
    const section = chart.closest("section");
    const plot = chart.querySelector(".plot");
    const inner = svgOf(chart).cloneNode(true);
    inner.querySelector(".found")?.remove();
    const room = Object.fromEntries(["left", "right", "top", "bottom"].map((side) =>
      [side, parseFloat(plot.style.getPropertyValue(`--${side}`))]));
    const out = make("svg", { xmlns: SVG, class: "plot" });
    out.append(styles());
    const panel = chart.parentElement.querySelector("h3")?.textContent.trim();
    const title = [section.querySelector("h2").textContent.trim(), panel].filter(Boolean).join(": ");
    const paper = out.appendChild(make("rect", { width: "100%", height: "100%", style: "fill: var(--paper)" }));
    const big = "fill: var(--ink); font-size: 17px; font-weight: 600";
    out.append(make("text", { x: SAVED.margin, y: 32, style: big }, title));
    const top = legendOf(chart, out, 58) + room.top;
    const height = Number(inner.getAttribute("height"));
    for (const [name, value] of [["x", room.left + 10], ["y", top],
      ["width", SAVED.width - room.left - room.right - 20]]) inner.setAttribute(name, String(value));
    out.append(inner);
    const whole = top + height + room.bottom + 34;
    const origin = ["Thinktime", document.querySelector(".title")?.textContent.trim(),
      document.querySelector(".about")?.textContent.trim()].filter(Boolean).join(" · ");
    out.append(make("text", { x: SAVED.margin, y: whole - 12 }, origin.slice(0, 150)));
    out.setAttribute("width", String(SAVED.width));
    out.setAttribute("height", String(whole));
    paper.setAttribute("height", String(whole));
    return out;
  }

  async function save(chart) {
    const drawn = standalone(chart);
    const content = new XMLSerializer().serializeToString(drawn);
    const made = Object.assign(new Image(), { src: `data:image/svg+xml,${encodeURIComponent(content)}` });
    await made.decode();
    const canvas = document.createElement("canvas");
    canvas.width = SAVED.scale * SAVED.width;
    canvas.height = SAVED.scale * Number(drawn.getAttribute("height"));
    canvas.getContext("2d").drawImage(made, 0, 0, canvas.width, canvas.height);
    const url = URL.createObjectURL(await new Promise((done) => { canvas.toBlob(done); }));
    Object.assign(document.createElement("a"), { href: url, download: `${chart.id}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  // ---- buttons

  function toolsOf(chart) {
    const next = chart.nextElementSibling;
    if (next?.classList.contains("chart-tools")) return next;
    const tools = document.createElement("div");
    tools.className = "chart-tools";
    for (const [words, kind, act] of [["Save as PNG", "save", () => save(chart)],
      ["Show all again", "reset", () => zoomTo(chart, [0, 1])]]) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: kind, textContent: words });
      button.hidden = kind === "reset";
      button.addEventListener("click", act);
      tools.append(button);
    }
    chart.after(tools);
    return tools;
  }

  function toggle(button) {
    const shown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(shown));
    for (const chart of button.closest("figure").querySelectorAll(".chart")) {
      const { hidden } = of(chart);
      if (shown) hidden.delete(button.dataset.group);
      else hidden.add(button.dataset.group);
      refresh(chart);
    }
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".legend button");
    if (button) toggle(button);
    const chart = event.target.closest?.(".chart");
    if (chart) look(chart, event); // a finger's only way to ask
  });
  let last = null;
  document.addEventListener("pointermove", (event) => {
    const chart = event.target.closest?.(".chart");
    if (event.pointerType === "touch" || event.buttons) return;
    if (!chart) {
      if (last) hide();
    } else look(chart, event);
    last = chart;
  });
  document.addEventListener("pointerdown", (event) => {
    const chart = event.target.closest?.(".chart");
    if (chart && event.button === 0 && event.pointerType !== "touch") drag(chart, event);
  });
  addEventListener("scroll", hide, { passive: true });

  // Said by who changed the page, too.
  function collect() {
    for (const chart of charts()) {
      toolsOf(chart);
      if (known.has(chart)) refresh(chart);
    }
  }
  document.addEventListener("figures", collect);
  collect();
})();
