"""The ports through which matrices come and go, and who waits for whom over shared words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import connect, flipped

from tilewright.hdl.structure import named, pipeline, place
from tilewright.hdl.systolic.c_region import CRegion
from tilewright.hdl.systolic.decoder import Decoder, overlap
from tilewright.hdl.systolic.flight import Flight
from tilewright.hdl.systolic.records import Start, Status


def connect_transfers(
    m: Module,
    platform: Any,
    core: Any,
    ports: Mapping[str, Any],
    regions: Sequence[CRegion],
    decoder: Decoder,
    flight: Flight,
    waits: Value,
) -> None:
    """Places ``ports``, connects them to the streams of ``core`` and those of C to its ``regions``.

    ``waits``: the command being decoded has to wait for other reasons than words.
    """
    g = core.parameters.c_memory
    for name, port in ports.items():
        m.submodules[name] = place(platform, port)
        connect(m, flipped(getattr(core, f"{name}_command")), port.command)
        connect(m, port.answer, flipped(getattr(core, f"{name}_answer")))
        outward = getattr(core, f"{name}_beats")
        if name == "read_c":
            connect(m, port.beats, flipped(outward))
        else:
            connect(m, flipped(outward), port.beats)
    _order(m, ports, decoder, flight, waits)
    load, read = ports["load_c"], ports["read_c"]
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


def _order(m: Module, ports: Mapping[str, Any], decoder: Decoder, flight: Flight, waits: Value) -> None:
    """Whoever was taken first has the words: a later command or transfer waits, a later load or read-out of a
    command's words is refused. Of those taken together transfers count as first, and loads before read-outs."""
    blocked: Value = Const(0)
    for name, port in ports.items():
        first = Signal(name=f"{name}_before_command")
        with m.If(decoder.fresh):
            m.d.sync += first.eq(port.active)
        with m.Elif(~port.active):
            m.d.sync += first.eq(0)
        waiting = decoder.valid & (decoder.status == Status.OK.value) & ~first
        meets_decoded = named(m, _touches(name, port, decoder.decoded), f"{name}_meets_decoded")
        used = waiting & meets_decoded
        for index in range(flight.depth):
            meets = named(m, _touches(name, port, flight.spans[index]), f"{name}_meets_{index}")
            used = used | (flight.busy[index] & meets)
        m.d.comb += port.in_use.eq(used)
        blocked = blocked | (first & port.active & meets_decoded)
    m.d.comb += flight.blocked.eq(blocked | waits)

    load, read = ports["load_c"], ports["read_c"]
    shared = named(m, overlap(load.span, read.span) & (load.region == read.region), "load_meets_read")
    for port, other, before in ((load, read, read.active & ~read.fresh), (read, load, load.active)):
        second = Signal(name=f"{port.name}_second")
        with m.If(port.fresh):
            m.d.sync += second.eq(before)
        with m.Elif(~other.active):
            m.d.sync += second.eq(0)
        m.d.comb += port.hold.eq(second & other.active & shared)
    for name in ("load_a", "load_b"):
        m.d.comb += ports[name].hold.eq(0)


def _touches(name: str, port: Any, command: Any) -> Value:
    """Whether the transfer of ``port`` and ``command`` share words."""
    if name in ("load_a", "load_b"):
        return overlap(port.span, command.a if name == "load_a" else command.b)
    bias = (command.start == Start.BIAS) & overlap(port.span, command.bias)
    return (overlap(port.span, command.c) | bias) & (command.region == port.region)
