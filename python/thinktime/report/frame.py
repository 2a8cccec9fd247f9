"""A plain page around some charts: for pages that are no report."""

from __future__ import annotations

import html
from collections.abc import Sequence

import plotly.graph_objects as go

from thinktime.report.page import asset, content_policy

_DRAW = """
for (const holder of document.querySelectorAll("[data-figure]")) {
  const figure = JSON.parse(document.getElementById(holder.dataset.figure).textContent);
  const ink = getComputedStyle(document.body).color;
  figure.layout.font = { color: ink };
  Plotly.newPlot(holder, figure.data, figure.layout, { responsive: true, displayModeBar: false });
}
"""

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px }
td, th { padding: 2px 10px; text-align: right; white-space: nowrap }
.wide { overflow-x: auto }
"""


def frame(title: str, sections: Sequence[tuple[str, go.Figure]], below: str) -> str:
    """A page with a heading and a chart for each section, and markup below; it loads nothing."""
    scripts = [asset("plotly-basic.min.js"), _DRAW.strip()]
    parts = []
    for place, (heading, figure) in enumerate(sections):
        data = figure.to_json().replace("<", "\\u003c").replace(">", "\\u003e")
        parts.append(f"<h2>{html.escape(heading)}</h2>" if heading else "")
        parts.append(f'<div data-figure="figure-{place}"></div>')
        parts.append(f'<script type="application/json" id="figure-{place}">{data}</script>')
    policy = html.escape(content_policy(scripts), quote=True)
    code = "".join(f"<script>{script}</script>" for script in scripts)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{html.escape(title)}</h1>{''.join(parts)}"
        f'<div class="wide">{below}</div>{code}</body></html>\n'
    )
