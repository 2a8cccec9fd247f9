"""Whether a cluster lets anybody in: found by asking it without credentials.

The files of this machine do not tell: Ray leaves a token here when it makes a cluster of this
machine, and a cluster elsewhere that needs no token accepts one, too.
"""

from __future__ import annotations

import os
from typing import Any

_CLIENT = "ray://"
_ASKED_S = 3.0

_OF_CLIENTS = ("/ray.rpc.RayletDriver/ClusterInfo", b"\x08\x06")
"""Ray's client server answers a ping: `ClusterInfoRequest(type=PING)`."""

_OF_NODES = ("/ray.rpc.NodeInfoGcsService/GetClusterId", b"")
"""The first question of Ray's nodes, before they know the cluster."""


def lets_anybody_in(ray: Any, address: str) -> bool | None:
    """Whether the connected cluster answers without a token; None if unknown.

    Args:
        ray: The library, connected.
        address: `ray://HOST:PORT`; anything else is a cluster that this machine belongs to.
    """
    if os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true"):
        return False  # nobody is heard without a certificate
    try:
        if address.startswith(_CLIENT):
            return _answers(address.removeprefix(_CLIENT), *_OF_CLIENTS)
        return _answers(ray.get_runtime_context().gcs_address, *_OF_NODES)
    except Exception:  # another version of Ray may lack these
        return None


def _answers(address: str, method: str, request: bytes) -> bool | None:
    import grpc

    with grpc.insecure_channel(address, [("grpc.enable_http_proxy", 0)]) as channel:
        try:
            channel.unary_unary(method)(request, timeout=_ASKED_S)
        except grpc.RpcError as error:
            refused: bool = error.code() is grpc.StatusCode.UNAUTHENTICATED
            return False if refused else None
    return True
