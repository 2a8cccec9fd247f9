"""Silent connections, which take the places of users' connections."""

from thinktime.lab.hostile.client import Holding as Client

__all__ = ["Client"]
