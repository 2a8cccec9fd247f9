"""The shared ground of all output: numbers in words, tables, charts and pages. It knows no
results."""
