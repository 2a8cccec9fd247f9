"""Hostile clients: programs that do harm to a server, and run in a lab only."""
