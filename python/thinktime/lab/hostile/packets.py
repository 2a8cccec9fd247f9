"""Packets that are made by hand."""

from __future__ import annotations

import socket
import struct
from ipaddress import IPv4Address

TTL = 64


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def syn(source: IPv4Address, port: int, target: tuple[str, int], sequence: int) -> bytes:
    """An IP packet with a TCP segment that asks for a connection; the kernel adds IP's sums."""
    to = IPv4Address(target[0]).packed
    # Header of 24 bytes: five words and the option MSS 1460.
    head = struct.pack("!HHIIBBHHHI", port, target[1], sequence, 0, 6 << 4, 0x02, 64240, 0, 0,
                       0x020405B4)  # fmt: skip
    pseudo = source.packed + to + struct.pack("!BBH", 0, socket.IPPROTO_TCP, len(head))
    head = head[:16] + struct.pack("!H", checksum(pseudo + head)) + head[18:]
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(head), 0, 0, TTL, socket.IPPROTO_TCP, 0,
                     source.packed, to)  # fmt: skip
    return ip + head


def echo_request(identity: int, number: int, data: bytes) -> bytes:
    """An ICMP echo request (RFC 792)."""
    head = struct.pack("!BBHHH", 8, 0, 0, identity, number)
    return head[:2] + struct.pack("!H", checksum(head + data)) + head[4:] + data
