"""What was learned, shown: on a page, on a terminal and as JSON."""
