"""Logs, read into columns."""
