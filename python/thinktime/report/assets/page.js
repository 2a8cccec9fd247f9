"use strict";
// Draws each figure in the colours of the page's theme, and again when the theme or the medium
// changes. Legends are markup beside the figures, so that they wrap.
(function () {
  // On paper, in pixels: A4, landscape. A picture shares its sheet with its heading.
  const PRINTED = { panel: 980, panels: 480 };
  const PRINTED_HEIGHT = 500;
  let figures = [];
  let printing = false;

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
    if (zoom) layout.xaxis.range = zoom.slice();
    layout.font = { family: colour("--sans"), size: 12, color: colour("--ink") };
    layout.separators = ".\u202f";
    layout.hoverlabel = {
      bgcolor: colour("--raised"), bordercolor: colour("--rule"), font: { color: colour("--ink") },
      namelength: -1,
    };
    layout.modebar = {
      bgcolor: "rgba(0,0,0,0)", color: colour("--faint"), activecolor: colour("--ink"),
    };
    for (const [name, axis] of Object.entries(layout)) {
      if (/^[xy]axis\d*$/.test(name)) {
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
    if (printing) {
      layout.width = PRINTED[place.parentElement.parentElement.className];
      if (layout.height < 2 * PRINTED_HEIGHT) layout.height = Math.min(layout.height, PRINTED_HEIGHT);
    }
    return layout;
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
    const data = figure.data.map((trace) => themed(trace, hidden));
    // A small picture has no room for buttons.
    const displayModeBar = place.closest(".panels") ? false : "hover";
    const layout = layoutOf(one);
    // Where a window becomes narrower, plotly takes the height of the place for that of the picture.
    place.style.height = `${layout.height}px`;
    Plotly.react(place, data, layout, { ...config, displayModeBar });
    if (place.closest("[data-linked]") && !one.followed) {
      one.followed = true;
      place.on("plotly_relayout", (event) => follow(one, event));
    }
  }

  const draw = () => figures.forEach(drawOne);

  // So that a page answers while it opens: its text is there at once, and nothing moves later on.
  function drawInTurns() {
    for (const { place, figure } of figures) place.style.height = `${figure.layout.height}px`;
    const waiting = figures.slice();
    (function next() {
      const one = waiting.shift();
      // What plotly measures texts with is no picture.
      document.getElementById("js-plotly-tester")?.setAttribute("aria-hidden", "true");
      if (one === undefined) return;
      if (one.place.isConnected) drawOne(one);
      setTimeout(next);
    })();
  }

  function toggle(button) {
    const shown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(shown));
    const section = button.closest("figure");
    for (const { place, hidden } of figures.filter((one) => section.contains(one.place))) {
      if (shown) hidden.delete(button.dataset.group);
      else hidden.add(button.dataset.group);
    }
    draw();
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
      if (now[0] !== range[0] || now[1] !== range[1]) {
        Plotly.relayout(one.place, { "xaxis.range": range.slice() });
      }
    }
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".legend button");
    if (button) toggle(button);
  });
  function print(now) {
    printing = now;
    draw();
  }
  collect();
  drawInTurns();
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
