"""The visits of a log by numpy, a second implementation of sessions in `crates/log`.

It processes whole columns and finds everything another way: orders by sorting, the latest
predecessors by running maxima, referrers by sorted keys of session and path. `visits` is all of it,
`branches` finds the predecessors of pages, `beside` the calls of screens, `order` looks back in
orders, `made` makes logs from a seed.
"""
