"""The requests of a population: templates of paths, kinds of requests, and popularity."""

from thinktime.learn.kinds.kinds import OTHER_OBJECTS, OTHERS, Kind, Kinds
from thinktime.learn.kinds.private import private
from thinktime.learn.kinds.templates import Templates, templates

__all__ = ["OTHERS", "OTHER_OBJECTS", "Kind", "Kinds", "Templates", "private", "templates"]
