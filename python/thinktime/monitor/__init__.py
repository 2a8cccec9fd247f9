"""The view of a run in progress for others: a live page, metrics, and pushes to a collector.

The command's news go to a process of their own (`python -m thinktime.monitor`), once a second and
over a pipe that never makes the command wait (`feed`). There `dispatcher` passes them on:
`live_page` draws them with the charts of the report, and `site` serves the page.
"""
