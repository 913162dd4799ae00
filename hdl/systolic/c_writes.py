"""Where the words of sums that leave the array are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Const, Module, Value

from tilewright.hdl.structure import pipeline, place
from tilewright.hdl.systolic.c_walker import CWalker
from tilewright.hdl.systolic.flight import walk
from tilewright.hdl.systolic.operands import delayed
from tilewright.hdl.systolic.parameters import CoreParameters


@dataclass(frozen=True)
class WordWrites:
    """A word of sums.

    Attributes:
        active: there is one; with it:
        region, request, lanes: where it goes; see `CWalker`.
        complete: no further fold adds to it; 1 where nobody asks.
        last: it is the last of its command; a cycle before ``active``.
    """

    active: Value
    region: Value
    request: Mapping[str, Any]
    lanes: Value
    complete: Value
    last: Value


def walked_writes(
    m: Module, platform: Any, p: CoreParameters, flight: Any, word: Value, cycles: int, ports: list[str]
) -> WordWrites:
    """By a walker of their own: the word that is announced by ``word`` comes ``cycles`` cycles later."""
    writer = CWalker(p)
    m.submodules.c_writer = place(platform, writer)
    walk(m, flight, "write", writer)
    m.d.comb += writer.step.eq(delayed(m, platform, "write_step", word, cycles))
    return WordWrites(
        writer.c_active & writer.exists,
        writer.region,
        {port: getattr(writer, f"c_{port}") for port in ports},
        writer.lanes,
        writer.complete if p.has_point else Const(1),
        writer.last,
    )


def following_writes(m: Module, platform: Any, p: CoreParameters, reader: CWalker, cycles: int) -> WordWrites:
    """Where the words were that sums start from, ``cycles`` cycles after their requests: of a core that does one thing
    at a time, where weights stay, so that words leave in the order in which they are read."""
    ports = ("region", "c_address", "lanes") + (("complete",) if p.has_point else ())
    request = {port: pipeline(m, getattr(reader, port), cycles, f"write_{port}") for port in ports}
    return WordWrites(
        delayed(m, platform, "write_active", reader.c_active, cycles),
        request["region"],
        {"address": request["c_address"]},
        request["lanes"],
        request.get("complete", Const(1)),
        delayed(m, platform, "write_last", reader.last, cycles),
    )
