"""What is right, from exact rational numbers: an oracle that shares nothing with what it judges."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Overflow: TypeAlias = Literal["ieee", "saturate"]


@dataclass(frozen=True)
class Facts:
    """What the specifications say of a format; ``digits`` counts the hidden bit."""

    width: int
    digits: int
    emin: int
    largest: float
    nan: int
    infinity: int | None


FACTS = {
    "bf16": Facts(16, 8, -126, (2 - 2**-7) * 2.0**127, 0x7FC0, 0x7F80),
    "fp16": Facts(16, 11, -14, 65504.0, 0x7E00, 0x7C00),
    "fp32": Facts(32, 24, -126, (2 - 2**-23) * 2.0**127, 0x7FC00000, 0x7F800000),
    "fp8_e4m3": Facts(8, 4, -6, 448.0, 0x7F, None),
    "fp8_e5m2": Facts(8, 3, -14, 57344.0, 0x7E, 0x7C),
}


def _e4m3(code: int) -> float:
    exponent, fraction = code >> 3 & 15, code & 7
    magnitude = (8 + fraction) * 2.0 ** (exponent - 10) if exponent else fraction * 2.0**-9
    return math.copysign(math.nan if code & 0x7F == 0x7F else magnitude, -1.0 if code & 0x80 else 1.0)


# Python's own fp32 and fp16; bf16 and e5m2 are their upper halves.
_VALUE: dict[str, Callable[[int], float]] = {
    "bf16": lambda code: struct.unpack(">f", struct.pack(">HH", code, 0))[0],
    "fp16": lambda code: struct.unpack(">e", struct.pack(">H", code))[0],
    "fp32": lambda code: struct.unpack(">f", struct.pack(">I", code))[0],
    "fp8_e4m3": _e4m3,
    "fp8_e5m2": lambda code: struct.unpack(">e", struct.pack(">BB", code, 0))[0],
}


def value(name: str, code: int) -> float:
    return _VALUE[name](code)


@cache
def table(name: str) -> NDArray[np.float64]:
    """The values of all codes of a format of at most 16 bits."""
    return np.array([value(name, code) for code in range(1 << FACTS[name].width)])


def values(name: str, codes: ArrayLike) -> NDArray[np.float64]:
    """Any codes, all NaNs quiet."""
    array = np.asarray(codes)
    if name != "fp32":
        return np.asarray(table(name)[array])
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return array.astype(np.uint32).view(np.float32).astype(np.float64)


@cache
def _code_of(name: str) -> dict[float, int]:
    """Codes of the values that are not negative."""
    return {value(name, code): code for code in reversed(range(1 << (FACTS[name].width - 1)))}


def nearest(name: str, exact: Fraction, *, minus: bool = False, overflow: Overflow = "ieee") -> int:
    """The code nearest to ``exact``, ties to even; a result of zero is negative if ``exact`` is, or for ``minus``."""
    facts = FACTS[name]
    sign = (1 << (facts.width - 1)) if exact < 0 or (exact == 0 and minus) else 0
    top, bottom = abs(exact.numerator), exact.denominator
    exponent = top.bit_length() - bottom.bit_length()
    if exact and abs(exact) < Fraction(2) ** exponent:
        exponent -= 1
    place = max(exponent if exact else facts.emin, facts.emin) - facts.digits + 1
    scaled = Fraction(top, bottom << place) if place >= 0 else Fraction(top << -place, bottom)
    rounded = round(scaled)  # Python rounds fractions half to even
    if place > 127 or math.ldexp(rounded, place) > facts.largest:
        return beyond(name, sign, overflow)
    result = math.ldexp(rounded, place)
    code = struct.unpack(">I", struct.pack(">f", result))[0] if name == "fp32" else _code_of(name)[result]
    return int(code) | sign


def beyond(name: str, sign: int, overflow: Overflow) -> int:
    """What infinity, and what rounds beyond the largest value, becomes."""
    facts = FACTS[name]
    if overflow == "saturate":
        return nearest(name, Fraction(facts.largest)) | sign
    return facts.nan if facts.infinity is None else facts.infinity | sign


def fused(name: str, a: float, b: float, c: float | None = None, overflow: Overflow = "ieee") -> int:
    """The code of ``name`` nearest to ``a * b + c``, or to ``a * b``: IEEE 754, round to nearest even."""
    product_minus = (math.copysign(1, a) < 0) != (math.copysign(1, b) < 0)
    sign = 1 << (FACTS[name].width - 1)
    addend = 0.0 if c is None else c
    if math.isnan(a) or math.isnan(b) or math.isnan(addend):
        return FACTS[name].nan
    if math.isinf(a) or math.isinf(b):
        opposed = math.isinf(addend) and (addend < 0) != product_minus
        return FACTS[name].nan if a == 0 or b == 0 or opposed else beyond(name, sign * product_minus, overflow)
    if math.isinf(addend):
        return beyond(name, sign * (addend < 0), overflow)
    product = Fraction(a) * Fraction(b)
    zero_minus = product_minus and (c is None or (product == 0 and c == 0 and math.copysign(1, c) < 0))
    return nearest(name, product + Fraction(addend), minus=zero_minus, overflow=overflow)
