"""The processing elements under test."""

from __future__ import annotations

from tilewright.hdl.arith import Overflow
from tilewright.hdl.arith.targets import Target
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.pe import (
    Element,
    FlexibleElement,
    IntegerOperands,
    OutputElement,
    SeededFlexibleElement,
    SeededOutputElement,
    StationaryElement,
)


def operands(
    x: str,
    y: str,
    vector: int,
    pipeline: int,
    width: int,
    *,
    saturate: bool = False,
    target: Target = "generic",
) -> IntegerOperands:
    """Operands by the names of their formats."""
    overflow: Overflow = "saturate" if saturate else "wrap"
    formats = IntFormat.parse(x), IntFormat.parse(y)
    return IntegerOperands(*formats, vector, pipeline, width, overflow, target=target)


#: Every width class and sign mix, vector, depth; sums as narrow as one product and as wide as 64 bits.
OPERANDS = {
    "int2": operands("int2", "int2", 1, 0, 5),
    "int4": operands("int4", "int4", 1, 1, 16),
    "int8": operands("int8", "int8", 1, 0, 32),
    "int16": operands("int16", "int16", 1, 3, 40),
    "uint16": operands("uint16", "uint16", 1, 1, 33),
    "uint4_int8": operands("uint4", "int8", 1, 2, 20),
    "int16_uint2_v2": operands("int16", "uint2", 2, 0, 64),
    "int4_v4": operands("int4", "int4", 4, 2, 10),
    "int2_uint3_v16": operands("int2", "uint3", 16, 3, 9),
    **{f"int8_p{p}_ecp5": operands("int8", "int8", 1, p, 32, target="ecp5") for p in range(4)},
    "uint16_int16_v2_p1_ecp5": operands("uint16", "int16", 2, 1, 35, target="ecp5"),
}
SATURATING = {
    "int4_sat": operands("int4", "int4", 1, 1, 9, saturate=True),
    "uint8_int8_v2_sat": operands("uint8", "int8", 2, 0, 18, saturate=True),
    "int16_sat": operands("int16", "int16", 1, 3, 33, saturate=True),
    "uint6_sat": operands("uint6", "uint6", 1, 2, 13, saturate=True),
    "uint8_p1_sat_ecp5": operands("uint8", "uint8", 1, 1, 18, saturate=True, target="ecp5"),
}
KINDS: dict[str, type[Element]] = {
    "stationary": StationaryElement,
    "output": OutputElement,
    "flexible": FlexibleElement,
    "output_seeded": SeededOutputElement,
    "flexible_seeded": SeededFlexibleElement,
}
STARTS_FROM_ZERO = ("output", "flexible")

ELEMENTS: dict[str, Element] = {
    f"{kind}_{name}": cls(o)  # type: ignore[call-arg, arg-type]
    for kind, cls in KINDS.items()
    for name, o in (OPERANDS | SATURATING).items()
    if not (kind in STARTS_FROM_ZERO and o.overflow == "saturate")
}
