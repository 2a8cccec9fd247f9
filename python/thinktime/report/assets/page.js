"use strict";
// Draws each figure in the colours of the page's theme, and again when the theme changes.
(function () {
  const figures = [...document.querySelectorAll("[data-figure]")].map((place) => ({
    place,
    figure: JSON.parse(document.getElementById(place.dataset.figure).textContent),
  }));
  const config = {
    displaylogo: false,
    responsive: true,
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
  };

  function themed(figure) {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const layout = structuredClone(figure.layout);
    layout.font = { family: style.getPropertyValue("--sans"), size: 12, color: colour("--ink") };
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
    const data = figure.data.map((trace) => {
      if (trace.meta === "ink") return { ...trace, line: { ...trace.line, color: colour("--faint") } };
      if (trace.meta === "moves") {
        const ink = { color: colour("--ink") };
        return { ...trace, line: { ...trace.line, ...ink }, marker: { ...trace.marker, ...ink } };
      }
      if (trace.meta !== "turns") return trace;
      // Turns that follow one another at once are told apart by a line in the page's colour.
      const line = { ...trace.marker.line, color: colour("--paper") };
      return { ...trace, marker: { ...trace.marker, line } };
    });
    return { data, layout };
  }

  function draw() {
    for (const { place, figure } of figures) {
      const { data, layout } = themed(figure);
      Plotly.react(place, data, layout, config);
    }
  }

  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  matchMedia("print").addEventListener("change", draw);
})();
