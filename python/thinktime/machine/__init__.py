"""Machines: cores under an operating system's scheduler."""
