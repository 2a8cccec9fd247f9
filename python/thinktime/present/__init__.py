"""The ground that shows things: numbers in words, tables, charts and pages. It knows no results."""
