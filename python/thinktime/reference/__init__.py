"""Pages of the reference, made from the program's own lists, signatures and schemas."""
