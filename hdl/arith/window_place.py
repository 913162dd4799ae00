"""One exact product in a window of fixed-point numbers, rounded to the nearest with ties away from zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from amaranth.hdl import Cat, Const, Module, Mux, Value

from tilewright.hdl.arith.drop import exceeds
from tilewright.hdl.arith.window_product import WindowProduct
from tilewright.hdl.structure import named, pipeline

Later = Callable[[Value, str], Value]
"""A value and its name to the value some registers later."""


@dataclass(frozen=True)
class WindowTerm:
    """What a step adds to a sum in a window of N bits.

    Args:
        bits: signed, N + 2 bits for one product. Without its bit 0 it is a number, which bit 0 carries into: their
            sum is the product in the window.
        invalid, overflow, underflow: 1 bit each, what the step sets in the sum's flags.
    """

    bits: Value
    invalid: Value
    overflow: Value
    underflow: Value

    def map(self, function: Callable[[Value, str], Value]) -> WindowTerm:
        """The same with every value ``v`` of a field called ``n`` replaced by ``function(v, n)``."""
        fields = ("bits", "invalid", "overflow", "underflow")
        return replace(self, **{field: function(getattr(self, field), field) for field in fields})


def window_place(m: Module, product: WindowProduct, width: int, name: str = "term", *, cycles: int = 0) -> WindowTerm:
    """``product`` in a window of ``width`` bits, ``cycles`` cycles later; its wires are called ``<name>_...``.

    The magnitude is shifted in two steps: within a group of about as many bits as the product has, and by groups;
    registers are between the two and have no reset. Negative products become ones' complements first, with ones around
    them. So the first bit below the window is the carry that both rounds and completes the negative number. A
    product that is invalid or not present adds 0.

    Args:
        m: where the logic goes.
        product: the product, by whose ``amount`` to shift.
        width: bits of the window, at least ``numeric.product_width``.
        name: of wires.
        cycles: registers inside.
    """
    bits = len(product.significand)
    # Mapped to four-input LUTs, the power of two next to the product's width is the smallest.
    lay = _Layout(width, bits, 1 << (bits + 2).bit_length() - 1, product.place)
    groups = product.amount[lay.fine_places :].as_signed()
    takes_part = named(m, product.present & ~product.invalid, f"{name}_takes_part")
    at = {k: named(m, (groups == k) & takes_part, f"{name}_at_{_word(k)}") for k in lay.groups}
    far_above = named(m, exceeds(groups, lay.groups[-1]) & takes_part, f"{name}_far_above")
    far_below = named(m, takes_part & ~Cat(far_above, *at.values()).any(), f"{name}_far_below")

    def later(value: Value, field: str) -> Value:
        return pipeline(m, value, cycles, f"{name}_{field}")

    fine = later(_fine(m, product, product.amount[: lay.fine_places], name), "fine")
    # Of a product that takes no part nothing is known, not even in simulation: its sign must not be seen.
    sign_now = named(m, product.sign & takes_part, f"{name}_sign")
    sign = later(sign_now, "sign")
    placed = _coarse(m, lay, fine, at, sign_now, sign, name, later)
    ones = named(m, fine ^ sign.replicate(len(fine)), f"{name}_ones")
    flags = _Flags(m, lay, ones, sign, {k: later(here, f"at_{_word(k)}") for k, here in at.items()}, name)
    over = flags.above | (later(far_above, "far_above") & flags.some)
    under = flags.below | (later(far_below, "far_below") & flags.some)
    invalid = later(named(m, product.present & product.invalid, f"{name}_invalid"), "invalid")
    return WindowTerm(placed, invalid, named(m, over, f"{name}_overflow"), named(m, under, f"{name}_underflow"))


class _Layout:
    """Where bits of the shifted product come to lie in the window, which has one bit more here, below it.

    With ``k`` groups, bit ``i`` of the product that has been shifted within its group is bit ``base(k) + i``.
    """

    def __init__(self, width: int, bits: int, group: int, place: int) -> None:
        self.group, self.size = group, width + 1
        self.fine_places = (group - 1).bit_length()
        self.fine_bits = bits + group - 1
        self.place = place + 1  # one bit below the window
        least = -((self.fine_bits - 1 + self.place) // group)
        self.groups = range(least, (width - self.place) // group + 1)
        self.pieces = -(-self.fine_bits // group)

    def base(self, k: int) -> int:
        """Where bit 0 lies with ``k`` groups."""
        return k * self.group + self.place


def _word(k: int) -> str:
    return f"minus_{-k}" if k < 0 else str(k)


def _fine(m: Module, product: WindowProduct, places: Value, name: str) -> Value:
    """The significand as a ones' complement, shifted by ``places``, with the sign around it."""
    sign = product.sign
    value = product.significand
    for stage in range(len(places)):
        step = 1 << stage
        ends = sign.replicate(step) if stage else Const(0, step)
        shifted = Mux(places[stage], Cat(ends, value), Cat(value, ends))
        value = shifted ^ sign.replicate(len(shifted)) if stage == 0 else shifted
        value = named(m, value, f"{name}_by_{step}")
    return value


def _coarse(
    m: Module,
    lay: _Layout,
    fine: Value,
    at: Mapping[int, Value],
    sign: Value,
    late_sign: Value,
    name: str,
    later: Later,
) -> Value:
    """``fine`` shifted by groups, with the sign around it; what chooses passes ``later`` as ``fine`` did."""
    out: list[Value] = []
    never = Const(0, 1)
    # Blocks begin where groups do.
    for block in range(lay.groups[0], lay.groups[-1] + lay.pieces):
        first, end = max(lay.base(block), 0), min(lay.base(block) + lay.group, lay.size)
        if first >= end:
            continue
        label = f"block_{len(out)}"
        # Two wires choose among 0, 1 and two bits: four inputs a bit.
        taken = named(m, at.get(block, never) | at.get(block - 1, never), f"{name}_{label}_taken")
        which = named(m, Mux(taken, at.get(block - 1, never), sign), f"{name}_{label}_which")
        taken, which = later(taken, f"{label}_taken"), later(which, f"{label}_which")
        others = [later(at.get(block - piece, never), f"{label}_piece_{piece}") for piece in range(2, lay.pieces)]
        bits: list[Value] = []
        for position in range(first, end):
            pieces = [fine[i] for i in range(position - lay.base(block), lay.fine_bits, lay.group)]
            second = pieces[1] if len(pieces) > 1 else late_sign
            bit = Mux(taken, Mux(which, second, pieces[0]), which)
            for other, value in zip(others, pieces[2:], strict=False):
                bit = Mux(other, value, bit)
            bits.append(bit)
        out.append(named(m, Cat(*bits), f"{name}_{label}"))
    return named(m, Cat(*out, late_sign).as_signed(), f"{name}_bits")


class _Flags:
    """Whether the product has bits at all, above the window, and below it; for each number of groups apart.

    The least number of a window has its highest bit set, as numbers above it have, and is in it nevertheless.
    """

    def __init__(self, m: Module, lay: _Layout, ones: Value, sign: Value, at: Mapping[int, Value], name: str) -> None:
        size = len(ones)
        highest = {k: lay.size - 1 - lay.base(k) for k in lay.groups}
        lowest = {k: min(max(1 - lay.base(k), 0), size) for k in lay.groups}
        cuts = {0, size, *lowest.values(), *(c + d for c in highest.values() if c < size for d in (0, 1))}
        edges = sorted(cuts)
        parts = {
            (low, high): named(m, ones[low:high].any(), f"{name}_ones_{low}_{high - 1}")
            for low, high in pairwise(edges)
        }

        def some(low: int, high: int) -> Value:
            return Cat(part for (first, end), part in parts.items() if low <= first and end <= high).any()

        self.some = some(0, size)
        self.below = Cat(at[k] & some(0, lowest[k]) for k in lay.groups if lowest[k]).any()
        self.above = Cat(
            at[k] & (some(c + 1, size) | (ones[c] & ~(sign & ~some(0, c)))) for k, c in highest.items() if c < size
        ).any()
