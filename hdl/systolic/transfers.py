"""The ports through which matrices come and go, and what they may touch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Mux, Value
from amaranth.lib.wiring import connect, flipped

from tilewright.hdl.structure import pipeline, place
from tilewright.hdl.systolic.c_region import CRegion
from tilewright.hdl.systolic.decoder import overlap
from tilewright.hdl.systolic.flight import Flight
from tilewright.hdl.systolic.records import Start


def connect_transfers(m: Module, platform: Any, core: Any, regions: Sequence[CRegion], flight: Flight) -> None:
    """Places ``core.ports``, connects them to the streams of ``core`` and those of C to its ``regions``."""
    g = core.parameters.c_memory
    for name, port in core.ports.items():
        m.submodules[name] = place(platform, port)
        connect(m, flipped(getattr(core, f"{name}_command")), port.command)
        connect(m, port.answer, flipped(getattr(core, f"{name}_answer")))
        outward = getattr(core, f"{name}_beats")
        if name == "read_c":
            connect(m, port.beats, flipped(outward))
        else:
            connect(m, flipped(outward), port.beats)
        m.d.comb += port.in_use.eq(_in_use(flight, name, port))
    load, read = core.ports["load_c"], core.ports["read_c"]
    request = [port.removeprefix("write_") for port in load.signature.members if port.startswith("write_")]
    for index, region in enumerate(regions):
        m.d.comb += [
            region.port_write.eq(load.write & (load.region == index)),
            region.port_read.eq(read.read & (read.region == index)),
        ]
        for port in request:
            if port != "slots":
                m.d.comb += getattr(region, f"port_write_{port}").eq(getattr(load, f"write_{port}"))
            if port not in ("slots", "data"):
                m.d.comb += getattr(region, f"port_read_{port}").eq(getattr(read, f"read_{port}"))
    r0, r1 = regions
    read_from = pipeline(m, read.region, g.read_latency, "read_region")
    m.d.comb += [
        load.grant.eq(Mux(load.region, r1.write_grant, r0.write_grant)),
        read.grant.eq(Mux(read.region, r1.read_grant, r0.read_grant)),
        read.read_data.eq(Mux(read_from, r1.read_data, r0.read_data)),
    ]


def _in_use(flight: Flight, name: str, port: Any) -> Value:
    """Whether a command in flight uses any word that ``port`` is about to touch."""
    used: Value = Const(0)
    for index in range(flight.DEPTH):
        command = flight.spans[index]
        if name == "load_a":
            touched = overlap(port.span, command.a)
        elif name == "load_b":
            touched = overlap(port.span, command.b)
        else:
            bias = (command.start == Start.BIAS) & overlap(port.span, command.bias)
            touched = (overlap(port.span, command.c) | bias) & (command.region == port.region)
        used = used | (flight.busy[index] & touched)
    return used
