"""Logs of sites that are wholly known, by a small simulator that shares no code with the tool."""
