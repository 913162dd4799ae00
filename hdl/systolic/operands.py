"""The way of operands from the scratchpads A and B into the array."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from tilewright.hdl.memory import Geometry, request_members
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.structure import Delay, data_register, pipeline, place
from tilewright.hdl.systolic.mask import EdgeMask, masked
from tilewright.hdl.systolic.parameters import CoreParameters


def delayed(m: Module, platform: Any, name: str, value: Value, cycles: int) -> Value:
    """``value`` ``cycles`` cycles later; cleared by reset."""
    delay = Delay(len(value), cycles, reset=True)
    m.submodules[name] = place(platform, delay)
    m.d.comb += delay.d.eq(value)
    return delay.q


def connect_reads(
    m: Module,
    platform: Any,
    p: CoreParameters,
    matrix: str,
    geometry: Geometry,
    memory: Any,
    streamer: Any,
    loader: Any,
) -> None:
    """Drives the read port of ``memory`` from the cursors of streamer and loader that walk ``matrix``.

    Requests to the faster of the two scratchpads wait, so that all operands of a step arrive together; those for
    ``x`` of output-stationary steps of a flexible element wait one cycle more.
    """
    ports = list(request_members(geometry))

    def request(source: Any) -> Value:
        return Cat(*(getattr(source, f"{matrix}_{port}") for port in ports))

    merged: Value | None = None
    wanted: Value | None = None
    for source in (streamer, loader):
        if source is None or matrix not in source.cursors:
            continue
        valid, fields = getattr(source, f"{matrix}_active"), request(source)
        if p.dataflow == "any" and matrix == "a" and source is streamer:
            late = delayed(m, platform, "late_a", valid & streamer.a_output_stationary, 1)
            fields = Mux(late, data_register(m, fields, "late_a_request"), fields)
            valid = late | (valid & ~streamer.a_output_stationary)
        merged = fields if merged is None else Mux(wanted, merged, fields)
        wanted = valid if wanted is None else wanted | valid
    assert merged is not None and wanted is not None
    wait = p.operand_offset - 1 - geometry.read_latency
    m.d.comb += Cat(*(getattr(memory, f"read_{port}") for port in ports)).eq(
        pipeline(m, merged, wait, f"{matrix}_request")
    )
    m.d.comb += memory.read.eq(delayed(m, platform, f"{matrix}_read", wanted, wait))


def extended(m: Module, word: Value, values: int, source: IntFormat, target: IntFormat, name: str) -> Value:
    """The first ``values`` values of ``word``, extended from ``source`` to ``target``."""
    if source == target:
        return word[: values * source.width]
    parts = []
    for v in range(values):
        value = word[v * source.width : (v + 1) * source.width]
        wide = Signal(target.width, name=f"{name}_{v}")
        m.d.comb += wide.eq(value.as_signed() if source.signed else value)
        parts.append(wide)
    return Cat(parts)


def edge_masked(
    m: Module,
    platform: Any,
    name: str,
    word: Value,
    width: int,
    mask: EdgeMask,
    count: Value,
    each_lane: Value,
    cycles: int,
) -> Value:
    """``word`` without the values beyond ``count``, which is given ``cycles`` cycles earlier (at least 1)."""
    m.submodules[f"mask_{name}"] = place(platform, mask)
    side = delayed(m, platform, f"mask_{name}_delay", Cat(each_lane, count), cycles - 1)
    m.d.comb += [mask.each_lane.eq(side[0]), mask.count.eq(side[1:])]
    return masked(word, mask.exists, width)
