"""The shared ground of all output: numbers in words, tables, charts and pages, but not results."""
