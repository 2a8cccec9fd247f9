"""In which order a population asks, what its pages embed, and how long it thinks in between."""

from thinktime.learn.journeys.chain import Chain
from thinktime.learn.journeys.journeys import Journeys, find_journeys
from thinktime.learn.journeys.text import request_lines, session_lines

__all__ = ["Chain", "Journeys", "find_journeys", "request_lines", "session_lines"]
