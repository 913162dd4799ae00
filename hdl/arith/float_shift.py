"""Shifters and the count of leading zeros, of which floating-point units are made."""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from tilewright.hdl.structure import named


def shift_out_zeros(m: Module, value: Value, name: str) -> tuple[Value, Value]:
    """``value`` shifted towards its top until it begins with a 1, and by how much; of no use where there is no 1."""
    taken: list[Value] = []
    for stage in reversed(range((len(value) - 1).bit_length())):
        step = 1 << stage
        clear = named(m, ~value[-step:].any(), f"{name}_clear_{step}")
        value = named(m, Mux(clear, Cat(Const(0, step), value[:-step]), value), f"{name}_left_{step}")
        taken.insert(0, clear)
    return value, Cat(*taken)


def shift_right(m: Module, value: Value, places: Value, name: str, fill: Value | int = 0) -> tuple[Value, Value]:
    """``value`` shifted towards bit 0 within its width, and whether a 1 fell out; ``fill`` enters.

    ``places`` may be far beyond the width: then all has fallen out.
    """
    width = len(value)
    ends = Value.cast(fill)[0]
    near = min(len(places), width.bit_length())
    fallen: list[Value] = []
    for stage in reversed(range(near)):
        step = min(1 << stage, width)
        fallen.append(places[stage] & value[:step].any())
        moved = Cat(value[step:], ends.replicate(step))
        value = named(m, Mux(places[stage], moved, value), f"{name}_right_{1 << stage}")
    lost = Cat(*fallen).any()
    if len(places) > near:
        far = named(m, places[near:].any(), f"{name}_far")
        lost = lost | (far & value.any())
        value = named(m, Mux(far, ends.replicate(width), value), f"{name}_shifted")
    return value, named(m, lost, f"{name}_fallen")


def normalise(
    m: Module, value: Value, limit: Value, slack: int, fill: Value, cut: Callable[[Value, str], Value]
) -> tuple[Value, Value]:
    """``value`` shifted towards its top until it begins with a 1, but by ``limit`` at the most; and by how much.

    A value that begins with more than ``slack`` zeros may end before, unless it reaches its limit. ``fill`` enters.
    ``cut(value, name)`` makes registers in the middle.

    Each stage looks for zeros in what the one before left. What a stage may take is known from bits of ``limit`` alone:
    as long as all that it allowed was taken, its bit decides; once it allowed more, nothing that follows is too much.
    """
    stages = min(slack, len(value) - 1).bit_length()
    free = named(m, limit[stages:].any(), "free")
    limit = lowest(limit, stages)
    taken: list[Value] = []
    for stage in reversed(range(stages)):
        step = 1 << stage
        clear = named(m, ~value[-step:].any(), f"clear_{step}")
        take = named(m, clear & (free | limit[stage]), f"take_{step}")
        free = named(m, free | (limit[stage] & ~clear), f"free_{step}")
        value = named(m, Mux(take, Cat(fill.replicate(step), value[:-step]), value), f"left_{step}")
        taken.insert(0, take)
        if stage == stages // 2:
            value, limit, free, fill = (
                cut(part, name) for part, name in ((value, "value"), (limit, "limit"), (free, "free"), (fill, "fill"))
            )
            taken = [cut(place, f"taken_{len(taken) - index}") for index, place in enumerate(taken)]
    return value, Cat(*taken)


def lowest(value: Value, bits: int) -> Value:
    """The lowest ``bits`` of ``value``, 0 where it has none; constant where it is."""
    if isinstance(value, Const):
        return Const(value.value, bits)
    return value[:bits] if len(value) >= bits else Cat(value, Const(0, bits - len(value)))


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
