"""Counts of visits by numpy, a second implementation of `crates/log/src/journeys`.

It processes whole columns, sorts instead of counting, and has no loop over requests. `steps` counts
the order of pages, `asked` the requests, `answered` the answers, users' think times, and the times
between equal requests.
"""
