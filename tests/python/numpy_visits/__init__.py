"""The visits of a log by numpy, a second implementation of what `crates/log` finds by sessions.

It goes through whole columns and finds everything another way: orders by sorting, the latest of
what came before by running maxima, referrers by sorted keys of session and path. `visits` is all of
it, `branches` which page led to which, `beside` the calls of screens, `order` looks back in orders,
`made` makes logs of a seed.
"""
