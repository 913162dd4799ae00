"""Shifters and the count of leading zeros, of which floating-point units are made."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from tilewright.hdl.structure import named


def shift_left(value: Value, places: Value, fill: Value | int = 0) -> Value:
    """``value`` shifted towards its top within its width, one stage a bit of ``places``; ``fill`` enters."""
    width = len(value)
    ends = Value.cast(fill)[0]
    for stage in reversed(range(len(places))):
        step = min(1 << stage, width)
        value = Mux(places[stage], Cat(ends.replicate(step), value[: width - step]), value)
    return value


def shift_right(value: Value, places: Value, fill: Value | int = 0) -> tuple[Value, Value]:
    """``value`` shifted towards bit 0 within its width, and whether a 1 fell out; ``fill`` enters."""
    width = len(value)
    ends = Value.cast(fill)[0]
    fallen: list[Value] = []
    for stage in range(len(places)):
        step = min(1 << stage, width)
        fallen.append(places[stage] & value[:step].any())
        value = Mux(places[stage], Cat(value[step:], ends.replicate(step)), value)
    return value, Cat(*fallen).any()


def shift_right_far(m: Module, value: Value, places: Value, name: str, fill: Value | int = 0) -> tuple[Value, Value]:
    """As ``shift_right``, for a ``places`` that may be far beyond the width: then all has fallen out."""
    near_bits = len(value).bit_length()
    if len(places) <= near_bits:
        return shift_right(value, places, fill)
    far = named(m, places[near_bits:].any(), f"{name}_far")
    near, fallen = shift_right(value, places[:near_bits], fill)
    ends = Value.cast(fill)[0].replicate(len(value))
    return Mux(far, ends, near), Mux(far, value.any(), fallen)


def leading_zeros(m: Module, value: Value, name: str) -> Value:
    """How many zeros stand above the highest 1 of ``value``; of no use where there is no 1. Combinational."""
    size = 1 << max(len(value) - 1, 1).bit_length()
    bits = Cat(Const(0, size - len(value)), value)
    zeros: list[Value] = []
    while size > 1:
        size //= 2
        high = bits[size:]
        none = named(m, ~high.any(), f"{name}_{size}")
        zeros.insert(0, none)
        bits = named(m, Mux(none, bits[:size], high), f"{name}_in_{size}") if size > 1 else bits
    count = Signal(len(zeros), name=name)
    m.d.comb += count.eq(Cat(*zeros))
    return count
