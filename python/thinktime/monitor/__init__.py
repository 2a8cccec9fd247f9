"""A run as others see it while it runs: a live page, metrics, and pushes to a collector.

What a command knows goes to a process of its own (`python -m thinktime.monitor`), once a second
and over a pipe that never makes the command wait (`feed`). There `dispatcher` hands it on:
`live_page` draws it with the charts of the report, `site` serves the page.
"""
