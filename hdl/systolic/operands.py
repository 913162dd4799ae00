"""The way of operands from the scratchpads A and B into the array."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from tilewright.hdl.arith import FloatCast
from tilewright.hdl.memory import Geometry, request_members
from tilewright.hdl.numeric import FloatFormat, Format, IntFormat
from tilewright.hdl.structure import Delay, Repeat, data_register, pipeline, place
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.controls import Controls
from tilewright.hdl.systolic.loader import Loader
from tilewright.hdl.systolic.mask import EdgeMask
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.streamer import Streamer


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
    ports = request_members(geometry)

    def request(source: Any) -> Value:
        unused = {port: Const(0, member.shape) for port, member in ports.items()}
        return Cat(*(getattr(source, f"{matrix}_{port}", unused[port]) for port in ports))

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


def extended(m: Module, platform: Any, word: Value, values: int, source: Format, target: Format, name: str) -> Value:
    """The first ``values`` values of ``word``, exact in ``target``, which holds all of ``source``."""
    if source == target:
        return word[: values * source.width]
    if isinstance(source, FloatFormat) and isinstance(target, FloatFormat):
        cast = FloatCast(source, target)
        casts = Repeat(f"{cast.name}_by_{values}", cast, values, label="value", chain={})
        m.submodules[f"cast_{name}"] = place(platform, casts)
        m.d.comb += casts.code.eq(word[: values * source.width])
        return casts.result
    assert isinstance(source, IntFormat)
    parts = []
    for v in range(values):
        value = word[v * source.width : (v + 1) * source.width]
        wide = Signal(target.width, name=f"{name}_{v}")
        m.d.comb += wide.eq(value.as_signed() if source.signed else value)
        parts.append(wide)
    return Cat(parts)


def within_edge(
    m: Module, platform: Any, name: str, mask: EdgeMask, count: Value, each_lane: Value, cycles: int
) -> Value:
    """Which values of a word exist: those below ``count``, which is given ``cycles`` cycles earlier (at least 1)."""
    m.submodules[f"mask_{name}"] = place(platform, mask)
    side = delayed(m, platform, f"mask_{name}_delay", Cat(each_lane, count), cycles - 1)
    m.d.comb += [mask.each_lane.eq(side[0]), mask.count.eq(side[1:])]
    return mask.exists


def connect_operands(
    m: Module,
    platform: Any,
    p: CoreParameters,
    array: SystolicArray,
    a: Any,
    b: Any,
    streamer: Streamer,
    loader: Loader | None,
    controls: Controls,
) -> None:
    """From read data to the edges of the array: choose the matrix, extend, clear what does not exist."""
    e = p.operands
    x_values, y_values = p.rows * p.vector, p.cols * p.vector
    offset = p.operand_offset
    words = {"a": (a.read_data, p.a), "b": (b.read_data, p.b)}

    def word(matrix: str, values: int, target: Any, edge: str) -> Value:
        data, source = words[matrix]
        return extended(m, platform, data, values, source, target, f"{edge}_{matrix}")

    y_count, y_each = streamer.count, Const(1, 1)
    if loader is not None:
        holds = loader.active & ~loader.output_stationary
        y_count = Mux(holds, loader.count, streamer.count)
    x_count = Cat(streamer.output_stationary, streamer.count)
    x_wait = offset
    if p.dataflow == "any":
        assert loader is not None  # it holds operands in two of the three dataflows
        # One cycle later for output-stationary steps, like everything that belongs to x.
        now = data_register(m, x_count, "x_count_now")
        later = data_register(m, now, "x_count_later")
        x_count, x_wait = Mux(controls.late, later, now), offset - 1
        hold_a = delayed(m, platform, "streams_b", streamer.b_active & ~streamer.a_output_stationary, offset - 1)
        x = Mux(hold_a, word("b", x_values, e.x, "x"), word("a", x_values, e.x, "x"))
        loads_a = delayed(m, platform, "loads_a", loader.a_active, offset - 1)
        y = Mux(loads_a, word("a", y_values, e.y, "y"), word("b", y_values, e.y, "y"))
    else:
        x_matrix, y_matrix = ("b", "a") if p.dataflow == "is" else ("a", "b")
        x, y = word(x_matrix, x_values, e.x, "x"), word(y_matrix, y_values, e.y, "y")
    exists = within_edge(m, platform, "x", EdgeMask(p.rows, p.vector), x_count[1:], x_count[0], x_wait)
    m.d.comb += array.x.eq(e.x_words(x, exists))
    if e.masks_y:
        exists = within_edge(m, platform, "y", EdgeMask(p.cols, p.vector), y_count, y_each, offset)
        y = e.y_words(y, exists)
    m.d.comb += array.y.eq(y)
