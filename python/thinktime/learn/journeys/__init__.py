"""The order of a population's requests, the objects of its pages, and its think times."""

from thinktime.learn.journeys.chain import Chain
from thinktime.learn.journeys.journeys import Journeys, find_journeys
from thinktime.learn.journeys.text import request_lines, session_lines

__all__ = ["Chain", "Journeys", "find_journeys", "request_lines", "session_lines"]
