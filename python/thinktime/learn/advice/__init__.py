"""Which system model a site's traffic follows, and what other models would mislead to."""
