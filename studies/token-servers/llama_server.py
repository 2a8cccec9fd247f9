"""llama.cpp's server with a model of random weights, until its standard input ends.

    PYTHON studies/token-servers/llama_server.py PLACES

PYTHON has xllamacpp and gguf. The first line of output has the server's address.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import language_model
import xllamacpp  # type: ignore[import-not-found] # of the server's own interpreter


def main() -> None:
    """Make the model, serve it on a free port of this machine, and end with the input."""
    places = int(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="thinktime-") as folder:
        model = Path(folder) / "random.gguf"
        language_model.write(model)
        keys = xllamacpp.CommonParams()
        keys.model.path = str(model)
        keys.hostnames, keys.port = ["127.0.0.1"], 0
        keys.n_parallel, keys.n_ctx = places, places * language_model.CONTEXT
        # One core computes, so that the load generator has the other one of two.
        keys.cpuparams.n_threads = keys.cpuparams_batch.n_threads = 1
        keys.verbosity = 1
        server = xllamacpp.Server(keys)
        print(server.listening_address, "xllamacpp", version("xllamacpp"), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
