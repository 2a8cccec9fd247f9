"""Runs, sweeps and more on the machines of a Ray cluster: all that knows of Ray is here."""

from __future__ import annotations

from thinktime.distributed.connection import Cluster as Cluster
from thinktime.distributed.connection import connected as connected
from thinktime.distributed.logs import Reading as Reading
from thinktime.distributed.logs import read as read
from thinktime.distributed.replications import Replicating as Replicating
from thinktime.distributed.replications import replicated as replicated
from thinktime.distributed.runs import gathered as gathered
from thinktime.distributed.work import each as each
