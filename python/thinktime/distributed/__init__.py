"""Runs, sweeps and more on the machines of a Ray cluster: only this folder knows Ray."""

from __future__ import annotations

from thinktime.distributed.connection import Cluster as Cluster
from thinktime.distributed.connection import connected as connected
from thinktime.distributed.logs import LogPart as LogPart
from thinktime.distributed.logs import read as read
from thinktime.distributed.replications import Replications as Replications
from thinktime.distributed.replications import replications_on_cluster as replications_on_cluster
from thinktime.distributed.runs import run_on_cluster as run_on_cluster
from thinktime.distributed.work import each as each
