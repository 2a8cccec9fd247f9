"""Results as data: figures and tables, and the files beside them about their origin."""
