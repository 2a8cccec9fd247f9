"""Access logs with a known truth, made without any part of `thinktime`: see README.md."""
