"""Access logs with a known truth, made by nothing that `thinktime` is made of: see README.md."""
