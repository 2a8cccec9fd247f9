"""Connections that say nothing, to take the places of those that would."""

from thinktime.lab.hostile.client import Holding as Client

__all__ = ["Client"]
