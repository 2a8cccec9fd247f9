"""Pages of the reference, made of the program's own lists, signatures and schemas."""
