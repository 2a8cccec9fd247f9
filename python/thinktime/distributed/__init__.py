"""Runs, sweeps and more on the machines of a Ray cluster: all that knows of Ray is here."""

from __future__ import annotations

from thinktime.distributed.connection import Cluster as Cluster
from thinktime.distributed.connection import connected as connected
from thinktime.distributed.fetching import Fetching as Fetching
from thinktime.distributed.fetching import fetching as fetching
from thinktime.distributed.reading import Reading as Reading
from thinktime.distributed.reading import read as read
from thinktime.distributed.replicating import Replicating as Replicating
from thinktime.distributed.replicating import replicated as replicated
from thinktime.distributed.running import gathered as gathered
from thinktime.distributed.work import each as each
