"use strict";
// Draws each figure in the colours of the page's theme, and again when the theme or the medium
// changes. Legends are markup beside the figures, so that they wrap. All is done in short turns,
// between which the page answers, and what is in sight comes first.
(function () {
  // On paper, in pixels: A4, landscape. A picture shares its sheet with its heading.
  const PRINTED = { panel: 980, panels: 480 };
  const PRINTED_HEIGHT = 500;
  // A turn ends with the step of plotly's that is over after so long.
  const TURN_MS = 8;
  const NO_TURN = Infinity;
  const touched = matchMedia("(pointer: coarse)");
  let figures = [];
  let printing = false;
  // What is to be drawn; what is being drawn in turns; and since when the turn lasts.
  let waiting = new Set();
  let busy = null;
  let began = NO_TURN;
  let resting = [];

  // Takes up what is on the page. What stays in its place keeps what is hidden and its zoom.
  function collect() {
    const before = new Map(figures.map((one) => [one.place, one]));
    figures = [...document.querySelectorAll("[data-figure]")].map((place) => {
      const known = before.get(place) || { place, hidden: new Set(), zoom: null };
      known.figure = JSON.parse(document.getElementById(place.dataset.figure).textContent);
      return known;
    });
  }

  const style = () => getComputedStyle(document.documentElement);
  const colour = (name) => style().getPropertyValue(name).trim();

  function layoutOf({ figure, place, zoom }) {
    const layout = structuredClone(figure.layout);
    layout.uirevision = "kept";
    layout.autosize = !printing; // as wide as its place again, after paper
    if (touched.matches) layout.dragmode = false; // a finger scrolls the page
    if (zoom) layout.xaxis.range = zoom.slice();
    layout.font = { family: colour("--sans"), size: 12, color: colour("--ink") };
    layout.separators = ".,";
    layout.hoverlabel = {
      bgcolor: colour("--raised"), bordercolor: colour("--rule"), font: { color: colour("--ink") },
      namelength: -1,
    };
    layout.modebar = {
      bgcolor: "rgba(0,0,0,0)", color: colour("--faint"), activecolor: colour("--ink"),
    };
    for (const [name, axis] of Object.entries(layout)) {
      if (/^[xy]axis\d*$/.test(name)) {
        axis.ticklabeloverflow = "allow"; // there is room: to look for it takes longest of all
        axis.gridcolor = colour("--grid");
        axis.linecolor = colour("--rule");
        axis.zerolinecolor = colour("--rule");
        axis.tickfont = { color: colour("--faint") };
        if (axis.title) axis.title.font = { color: colour("--faint"), size: 12 };
      }
    }
    for (const note of layout.annotations || []) {
      if (note.name === "y-title") note.font = { color: colour("--faint"), size: 12 };
    }
    for (const shape of layout.shapes || []) {
      if (shape.name === "ink") shape.line.color = colour("--faint");
    }
    const room = roomOf(layout.yaxis, figure.data);
    // Plotly, too, keeps half of the width for what is drawn.
    if (room < place.clientWidth / 2) layout.margin.l = Math.max(layout.margin.l, room);
    if (printing) {
      layout.width = PRINTED[place.parentElement.parentElement.className];
      if (layout.height < 2 * PRINTED_HEIGHT) layout.height = Math.min(layout.height, PRINTED_HEIGHT);
    }
    return layout;
  }

  // Plotly draws a picture twice where the labels of an axis turn out to need more room than it
  // has. So it has that from the start, as far as they are known before.
  const pen = document.createElement("canvas").getContext("2d");
  function roomOf(axis, traces) {
    const top = axis.range?.[1] ?? 0;
    const labels = axis.ticktext ||
      (axis.type === "category" && traces.flatMap((one) => one.y)) ||
      [{ "~%": "0.01%", "~s": "100ms" }[axis.tickformat] || Math.round(top).toLocaleString("en")];
    pen.font = `12px ${colour("--sans")}`;
    const widths = labels.map((one) => pen.measureText(String(one).replace(/<[^>]*>/g, "")).width);
    return Math.ceil(Math.max(0, ...widths)) + 17;
  }

  function themed(trace, hidden) {
    const shown = { ...trace, visible: hidden.has(trace.legendgroup) ? false : trace.visible };
    const ink = { color: colour("--ink") };
    if (trace.meta === "ink") {
      const faint = { color: colour("--faint") };
      if (trace.line) shown.line = { ...trace.line, ...faint };
      if (trace.marker) shown.marker = { ...trace.marker, ...faint };
    } else if (trace.meta === "moves") {
      shown.line = { ...trace.line, ...ink };
      shown.marker = { ...trace.marker, ...ink };
    } else if (trace.meta === "turns") {
      // Turns that follow one another at once are told apart by a line in the page's colour.
      shown.marker = { ...trace.marker, line: { ...trace.marker.line, color: colour("--paper") } };
    }
    return shown;
  }

  // A picture for a slide needs its legend inside.
  function save(graph) {
    const section = graph.closest("figure");
    const keys = [...section.querySelectorAll(".legend li")].map((item) => {
      const drawn = item.querySelector("line");
      const filled = item.querySelector(".box, .dot");
      const line = drawn && {
        color: getComputedStyle(drawn).stroke,
        dash: (drawn.getAttribute("stroke-dasharray") || "").replace(/(\d+)/g, "$1px") || "solid",
      };
      const marker = filled && { color: getComputedStyle(filled).backgroundColor, size: 10 };
      return {
        x: [null], y: [null], name: item.textContent.trim(), showlegend: true,
        mode: line ? "lines" : "markers", ...(line ? { line } : { marker }),
      };
    });
    const data = graph.data.map((trace) => ({ ...trace, showlegend: false })).concat(keys);
    const layout = {
      ...graph.layout, showlegend: keys.length > 0, paper_bgcolor: colour("--paper"),
      legend: { orientation: "h", y: -0.2 }, height: graph.layout.height + 60,
    };
    const options = { format: "png", width: 1000, height: layout.height, filename: graph.id };
    Plotly.downloadImage({ data, layout }, options);
  }

  const config = {
    displaylogo: false,
    responsive: true,
    modeBarButtons: [[
      { name: "Save as PNG", icon: Plotly.Icons.camera, click: save },
      "zoom2d", "pan2d", "resetScale2d",
    ]],
  };

  function drawOne(one) {
    const { place, figure, hidden } = one;
    waiting.delete(one);
    const data = figure.data.map((trace) => themed(trace, hidden));
    // A small picture has no room for buttons.
    const displayModeBar = place.closest(".panels") ? false : "hover";
    const layout = layoutOf(one);
    // Where a window becomes narrower, plotly takes the height of the place for that of the picture.
    place.style.height = `${layout.height}px`;
    const drawn = Plotly.react(place, data, layout, { ...config, displayModeBar });
    if (place.closest("[data-linked]") && !one.followed) {
      one.followed = true;
      place.on("plotly_relayout", (event) => follow(one, event));
    }
    return drawn.then(() => { place.dataset.drawn = ""; });
  }

  // Asked by plotly between two steps of a drawing: it goes on when the promise is kept. Where a
  // reader zooms or hides something no turn is on, and steps follow at once.
  Plotly.rest = (graph) => {
    if (performance.now() - began < TURN_MS || (graph && graph !== busy.place)) return null;
    began = NO_TURN;
    return new Promise((resolve) => {
      resting.push(resolve);
      soon.postMessage(null);
    });
  };

  // Unlike timers, messages come without delay, in pages that are not looked at, too.
  const { port1: turns, port2: soon } = new MessageChannel();
  turns.onmessage = () => {
    const goOn = resting.shift() || (busy ? null : next);
    if (!goOn) return;
    began = performance.now();
    goOn();
  };

  function inTurns(place, draw, done) {
    const own = { place };
    busy = own;
    Promise.resolve().then(draw).finally(() => {
      if (busy !== own) return;
      leave();
      done?.();
      soon.postMessage(null);
    });
  }

  function leave() {
    busy = null;
    began = NO_TURN;
    resting = [];
  }

  // The first run of most of plotly's code takes a turn of its own: it draws nothing.
  function prepare() {
    const place = document.createElement("div");
    inTurns(place, () => Plotly.newPlot(place, [], { width: 99, height: 99 }, config), () => {
      Plotly.purge(place);
      // What plotly measures texts with is no picture.
      document.getElementById("js-plotly-tester").setAttribute("aria-hidden", "true");
    });
    next = drawNext;
  }
  let next = prepare;

  // What is folded has no width yet: it is drawn when it is opened.
  const folded = (place) => place.closest("details:not([open])") !== null;

  // What was never drawn is before what is out of date, and what is in sight before the rest.
  function first() {
    const away = ({ place }) => {
      const { top, bottom } = place.getBoundingClientRect();
      return Math.max(0, top - innerHeight, -bottom);
    };
    const order = [...waiting].filter(({ place }) => place.isConnected && !folded(place))
      .map((one) => [Number("drawn" in one.place.dataset), away(one), one]);
    return order.sort((a, b) => a[0] - b[0] || a[1] - b[1])[0]?.[2];
  }

  function drawNext() {
    const one = first();
    if (one) inTurns(one.place, () => drawOne(one));
    else began = NO_TURN;
  }

  // What is half drawn begins anew.
  function drawAtOnce(those) {
    const half = resting.length && those.find((one) => one.place === busy?.place);
    if (half) {
      Plotly.purge(half.place);
      half.followed = false;
      leave();
      soon.postMessage(null);
    }
    began = NO_TURN;
    those.forEach(drawOne);
  }

  function draw() {
    waiting = new Set(figures);
    if (printing) drawAtOnce(figures.filter(({ place }) => !folded(place))); // paper does not wait
    else soon.postMessage(null);
  }

  function toggle(button) {
    const shown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(shown));
    const section = button.closest("figure");
    const own = figures.filter((one) => section.contains(one.place));
    for (const { hidden } of own) {
      if (shown) hidden.delete(button.dataset.group);
      else hidden.add(button.dataset.group);
    }
    drawAtOnce(own);
  }

  // Pictures of one time axis are zoomed together.
  function follow(changed, event) {
    const range = [event["xaxis.range[0]"], event["xaxis.range[1]"]];
    if (range[0] === undefined) return;
    const own = changed.figure.layout.xaxis.range;
    const whole = range[0] === own[0] && range[1] === own[1];
    const group = changed.place.closest("[data-linked]");
    for (const one of figures.filter((one) => one.followed && group.contains(one.place))) {
      one.zoom = whole ? null : range.slice();
      const now = one.place.layout.xaxis.range;
      if (one.place === busy?.place) {
        waiting.add(one);
      } else if (now[0] !== range[0] || now[1] !== range[1]) {
        Plotly.relayout(one.place, { "xaxis.range": range.slice() });
      }
    }
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".legend button");
    if (button) toggle(button);
  });
  document.addEventListener("toggle", () => soon.postMessage(null), true);
  function print(now) {
    if (now === printing) return;
    printing = now;
    draw();
  }
  collect();
  draw();
  // Said by who changed the page.
  document.addEventListener("figures", () => {
    collect();
    draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  matchMedia("print").addEventListener("change", (medium) => print(medium.matches));
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
})();
