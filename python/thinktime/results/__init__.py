"""Results as data: figures and tables, and the files beside them that say where they came from."""
