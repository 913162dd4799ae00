"""A wide number without its last places, as far as a narrow result needs it."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Value

from tilewright.hdl.structure import named


@dataclass(frozen=True)
class Dropped:
    """A number without its last places.

    Args:
        whole: signed, the number rounded down, where ``large`` is 0.
        half: 1 bit, the first place that was dropped; 0 where none was.
        behind: 1 bit, whether a place behind that one is 1.
        large: 1 bit, whether ``whole`` does not hold the number.
    """

    whole: Value
    half: Value
    behind: Value
    large: Value


def drop(m: Module, value: Value, places: Value, width: int, name: str) -> Dropped:
    """``value``, signed, without its last ``places``, in ``width`` bits; combinational; wires are ``<name>_...``.

    The longest shift comes first. Bits that no later one can bring into the result go at once, so that a stage has
    ``width`` bits and those that are still to be shifted out.
    """
    sign = value[-1]
    bits: Value = Cat(Const(0, 1), value)
    below: list[Value] = []
    above: list[Value] = []
    for stage in reversed(range(len(places))):
        step = 1 << stage
        size = width + step
        longer = Cat(bits, sign.replicate(max(size + step - len(bits), 0)))
        here, there = longer[:size], longer[step : size + step]
        below.append(places[stage] & longer[:step].any())
        above += [bit ^ sign for bit in longer[size + step :]]
        above.append(~places[stage] & (longer[size : size + step] ^ sign.replicate(step)).any())
        bits = named(m, Mux(places[stage], there, here), f"{name}_by_{step}")
    return Dropped(
        whole=bits[1:].as_signed(),
        half=bits[0],
        behind=named(m, Cat(*below).any(), f"{name}_behind"),
        large=named(m, Cat(*above, bits[-1] ^ sign).any(), f"{name}_large"),
    )


def exceeds(value: Value, limit: int) -> Value:
    """Whether ``value`` is greater than the constant ``limit``, both in its shape; cheaper than a subtraction."""
    bits = [*value]
    if value.shape().signed:  # with its sign turned round, it compares as if unsigned
        bits[-1] = ~bits[-1]
        limit += 1 << (len(bits) - 1)
    greater: Value = Const(0, 1)
    for place, bit in enumerate(bits):
        greater = bit & greater if limit >> place & 1 else bit | greater
    return greater
