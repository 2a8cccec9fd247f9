"""The views of the result: a page, a terminal and JSON."""
