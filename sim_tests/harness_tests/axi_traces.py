"""Traces of AXI ports, level by level, and what the rules say of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tilewright.sim_tests.harness import StreamPort
from tilewright.sim_tests.harness.axi_ports import axi_lite_ports, axi_ports
from tilewright.sim_tests.harness.axi_rules import TraceResult, check_trace

Levels = dict[str, int]
Trace = list[Levels]

FIXED, INCR, WRAP = range(3)
QUIET: Trace = [{"reset": 1}] * 3 + [{}]


def with_ids(streams: Iterable[StreamPort]) -> list[StreamPort]:
    """The same port with IDs, and locks beside addresses."""
    found = []
    for stream in streams:
        more: list[tuple[str, int]] = [] if stream.name.endswith("_w") else [(f"{stream.name}id", 3)]
        more += [(f"{stream.name}lock", 1)] if stream.name.endswith(("_ar", "_aw")) else []
        found.append(replace(stream, signals=(*stream.signals, *more)))
    return found


#: 64-bit bus; with IDs and without; a register port.
PLAIN = axi_ports("m", address_bits=40, data_bits=64)
NAMED = with_ids(PLAIN)
LITE = axi_lite_ports("s", address_bits=12, data_bits=32)


def beat(channel: str, valid: int = 1, ready: int = 1, **fields: int) -> Levels:
    """Levels of one channel for one edge."""
    return {f"{channel}valid": valid, f"{channel}ready": ready, **{channel + name: v for name, v in fields.items()}}


def ar(address: int = 0, *, len: int = 0, size: int = 3, burst: int = INCR, **more: int) -> Levels:
    return beat("m_ar", addr=address, len=len, size=size, burst=burst, **more)


def aw(address: int = 0, *, len: int = 0, size: int = 3, burst: int = INCR, **more: int) -> Levels:
    return beat("m_aw", addr=address, len=len, size=size, burst=burst, **more)


def w(strb: int = 0xFF, *, last: int = 1, **more: int) -> Levels:
    return beat("m_w", strb=strb, last=last, **more)


def b(**more: int) -> Levels:
    return beat("m_b", **more)


def r(*, last: int = 1, **more: int) -> Levels:
    return beat("m_r", last=last, **more)


def run(trace: Trace, streams: Iterable[StreamPort] = PLAIN, *, quiet: Trace = QUIET) -> TraceResult:
    name = next(iter(streams)).name[0]
    return check_trace(list(streams), name, [*quiet, *trace], lite=name == "s")


def write(first: Levels, *data: Levels, **response: int) -> Trace:
    return [first, *data, b(**response)]


def read(first: Levels, beats: int = 1, **more: int) -> Trace:
    return [first, *(r(last=int(n + 1 == beats), **more) for n in range(beats))]


def held(channel: str, **fields: int) -> Levels:
    return beat(channel, ready=0, **fields)


def offered(channel: str) -> Levels:
    """A beat that waits, with the fields that a legal one has."""
    address, data = {"size": 3, "burst": INCR}, {"last": 1}
    return held(channel, **{"m_ar": address, "m_aw": address, "m_w": data, "m_r": data, "m_b": {}}[channel])


S_READ: Trace = [beat("s_ar"), beat("s_r")]
S_WRITE: Trace = [beat("s_aw") | beat("s_w", strb=15), beat("s_b")]
LOCKED = {"lock": 1, "id": 2}
