"""The one rounding of all floating-point units, and the packing of its result."""

from __future__ import annotations

from typing import Literal, NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from tilewright.hdl.arith.float_cuts import Cuts
from tilewright.hdl.arith.float_shift import lowest, normalise, shift_right
from tilewright.hdl.arith.float_unrounded import Unrounded
from tilewright.hdl.arith.unpacked import exponent_signal
from tilewright.hdl.numeric import FloatFormat
from tilewright.hdl.structure import named

Beyond = Literal["ieee", "saturate"]
"""What becomes of a number that rounds beyond the largest finite one: infinity, or NaN in a format without; or the
largest finite number, for infinity too."""


class Flags(NamedTuple):
    """What is known beside the bits of a number, 1 bit each; see `Unrounded`."""

    nan: Value
    infinite: Value
    sign: Value
    kept: Value


def float_round(m: Module, number: Unrounded, fmt: FloatFormat, cuts: Cuts, beyond: Beyond = "ieee") -> Value:
    """The code of ``fmt`` nearest to ``number``: ties to even, subnormals kept, NaN the one of ``fmt``.

    Registers of the phases "count", "shift" and "round" are inside.

    Leading zeros are shifted out, but no more than brings the exponent down to the least one: what still begins with
    a 0 then is subnormal. The hidden bit and the rounding are added to the packed code, so that a carry makes the next
    binade, the smallest normal number, or infinity. A negative number is rounded as its complement, which is 1 less
    than its size: ones are shifted in behind it, and the 1 is part of the rounding.
    """
    precision = fmt.fraction_bits + 1
    bits, above = _raised(m, number, fmt)
    negative = number.negative
    magnitude = named(m, bits ^ negative.replicate(len(bits)), "magnitude")
    # Parted as the first stage of the shift parts them, so that both look for zeros together.
    first = 1 << max(min(number.slack, len(bits) - 1).bit_length() - 1, 0)
    empty = ~magnitude[-first:].any() & ~magnitude[:-first].any()
    nothing = named(m, empty & ~negative & ~number.infinite, "nothing")
    sign = named(m, Mux(nothing, number.zero_sign, number.sign) & ~number.nan, "sign")
    nan, infinite = cuts("count", number.nan, "nan"), cuts("count", number.infinite, "infinite")
    sign, kept = cuts("count", sign, "sign"), cuts("count", number.kept, "kept")
    # What was put behind a number that is never lowered or negative.
    zeros = len(bits) - len(number.bits) if number.low >= fmt.emin and isinstance(negative, Const) else 0

    def cut(value: Value, name: str) -> Value:
        return cuts("count", value, name, zeros=zeros if name == "value" else 0)

    if number.slack:
        shifted, places = normalise(m, magnitude, above, number.slack, negative, cut)
    else:
        shifted, places = cut(magnitude, "value"), Const(0, 0)
    above, negative = cuts("count", above, "above"), cuts("count", negative, "negative")
    # The bits of a number of which the hidden one is not set are at the least exponent, or all 0.
    field = named(m, (above - places)[: len(above)] & shifted[-1].replicate(len(above)), "field")
    early = beyond == "ieee" and fmt.infinities
    if early:
        # The hidden bit makes the highest exponent of the one below.
        beyond_all = field[1 : fmt.exponent_bits].all() | field[fmt.exponent_bits :].any()
        infinite = named(m, infinite | (beyond_all & ~kept), "beyond")
    half, odd = shifted[-precision - 1], shifted[-precision]
    dropped = shifted[: -precision - 1]
    rest = named(m, (dropped ^ negative.replicate(len(dropped))).any(), "rest")
    up = cuts("shift", named(m, Mux(negative, half | (odd & ~rest), half & (odd | rest)), "up"), "up")
    zeros = max(zeros - (len(shifted) - precision), 0)
    significand = cuts("shift", shifted[-precision:], "significand", zeros=zeros)
    field, kept = cuts("shift", field, "field"), cuts("shift", kept, "kept")
    flags = Flags(cuts("shift", nan, "nan"), cuts("shift", infinite, "infinite"), cuts("shift", sign, "sign"), kept)

    pack = _pack_early if early else _pack_late
    return cuts("round", named(m, pack(m, field, significand, up, flags, fmt, beyond), "code"), "code")


def _pack_early(
    m: Module, field: Value, significand: Value, up: Value, flags: Flags, fmt: FloatFormat, beyond: Beyond
) -> Value:
    """The code, where what is infinite is known but for a carry, which makes infinity by itself."""
    special = named(m, flags.nan | flags.infinite, "special")
    exponent = field[: fmt.exponent_bits] | special.replicate(fmt.exponent_bits)
    fraction = significand & ~special.replicate(len(significand))
    quiet = Cat(Const(0, fmt.fraction_bits - 1), flags.nan)
    packed = named(m, Cat(fraction[:-1] | quiet, exponent), "packed")
    rounding = Cat(up & ~special, Const(0, fmt.fraction_bits - 1), fraction[-1])
    return Cat((packed + rounding)[: fmt.width - 1], flags.sign)


def _pack_late(
    m: Module, field: Value, significand: Value, up: Value, flags: Flags, fmt: FloatFormat, beyond: Beyond
) -> Value:
    """The code, which is compared with the largest one after rounding."""
    nan, bits = flags.nan, fmt.width - 1
    packed = Signal(max(len(field), fmt.exponent_bits) + fmt.fraction_bits + 1, name="packed")
    m.d.comb += packed.eq(Cat(Const(0, fmt.fraction_bits), field) + significand + up)
    over = named(m, flags.infinite | ((packed > fmt.largest_bits) & ~flags.kept), "over")
    if beyond == "saturate":
        limit = fmt.largest_bits
    elif fmt.infinity_bits is not None:
        limit = fmt.infinity_bits
    else:
        nan, limit = nan | over, fmt.nan_bits
    return Mux(nan, fmt.nan_bits, Cat(Mux(over, Const(limit, bits), packed[:bits]), flags.sign))


def _raised(m: Module, number: Unrounded, fmt: FloatFormat) -> tuple[Value, Value]:
    """Bits at an exponent of at least ``fmt.emin``, enough to be rounded, and how far above ``fmt.emin`` that is."""
    offset = number.bias + fmt.emin
    low, high = min(number.low - fmt.emin, 0), max(number.high - fmt.emin, 0)
    limit = exponent_signal(low, high, "limit")
    if isinstance(number.exponent, Const):
        limit = Const(number.exponent.value - offset, limit.shape())
    else:
        m.d.comb += limit.eq(number.exponent - offset)
    bits = Cat(Const(0, max(fmt.fraction_bits + 3 - len(number.bits), 0)), number.bits)
    if number.low >= fmt.emin:
        return bits, lowest(limit, len(limit) - 1)
    below = limit[-1]
    deficit = named(m, Mux(below, (-limit)[: len(limit)], 0), "deficit")
    shifted, fallen = shift_right(m, bits, deficit, "lowered", number.negative)
    return named(m, Cat(fallen, shifted), "lowered"), named(m, Mux(below, 0, limit[:-1]), "above_least")
