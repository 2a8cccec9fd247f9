"""The view of a run in progress for others: a live page, metrics, and pushes to a collector.

The command's state goes to a process of its own (`python -m thinktime.monitor`), once a second,
over a pipe that never makes the command wait (`feed`). There `publisher` passes it on:
`live_page` draws them with the charts of the report, and `site` serves the page.
"""
