"""What each kind of Yosys cell is in Verilog."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tilewright.generators.emit.expression import (
    Expression,
    binary,
    chosen,
    constant,
    inverted,
    reduced,
    signed,
)
from tilewright.generators.emit.netlist import Bits, Cell, Sig, part_of, width_of

Read = Callable[[Sig, bool], Expression]
"""The expression for a signal; the flag allows a long chain of choices."""

_BITWISE = {"$and": "&", "$or": "|", "$xor": "^"}
_COMPARISONS = {"$eq": "==", "$ne": "!=", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">="}
_REDUCTIONS = {"$reduce_or": "|", "$reduce_bool": "|", "$reduce_and": "&", "$reduce_xor": "^"}
_SUMS = {"$add": "+", "$sub": "-"}
_NEUTRAL_ZERO = frozenset({"$add", "$sub", "$or", "$xor"})
NARROWABLE = frozenset({*_BITWISE, *_SUMS, "$not", "$neg", "$mux", "$pmux", "$shl", "$mul"})
"""Cells whose low result bits depend on the same low operand bits only."""
CHOICES = frozenset({"$mux", "$pmux"})


def choices(cell: Cell) -> tuple[list[tuple[Sig, Sig]], Sig]:
    """(condition, value) of a multiplexer, first one first, and the value otherwise."""
    select, values, otherwise = cell.ports["S"], cell.ports["B"], cell.ports["A"]
    width = width_of(otherwise)
    return [(part_of(select, i, 1), part_of(values, i * width, width)) for i in range(width_of(select))], otherwise


def extends_sign(sig: Sig, width: int, is_signed: bool) -> bool:
    """Whether ``sig`` at ``width`` bits repeats its sign."""
    return is_signed and width_of(sig) < width


def fitted(sig: Sig, width: int, is_signed: bool) -> Sig:
    """``sig`` cut or extended to ``width`` bits."""
    missing = width - width_of(sig)
    if missing <= 0:
        return part_of(sig, 0, width)
    top = part_of(sig, width_of(sig) - 1, 1) if is_signed else (Bits("0"),)
    return (*sig, *(top * missing))


def operands(cell: Cell, width: int) -> Iterator[tuple[Sig, int, bool]]:
    """(signal, width at which it is wanted, whether that repeats its sign) of each operand of ``cell`` at ``width``."""
    kind, p = cell.kind, cell.ports
    a_signed = bool(cell.parameters.get("A_SIGNED"))
    if kind in CHOICES:
        ways, otherwise = choices(cell)
        for condition, value in ways:
            yield condition, 1, False
            yield value, width, False
        yield otherwise, width, False
    elif kind in _BITWISE or kind in _SUMS:
        yield p["A"], width, a_signed
        yield p["B"], width, a_signed
    elif kind in ("$not", "$neg"):
        yield p["A"], width, a_signed
    elif kind in _COMPARISONS:
        wide = max(width_of(p["A"]), width_of(p["B"]))
        yield p["A"], wide, a_signed
        yield p["B"], wide, a_signed
    elif kind in _REDUCTIONS or kind == "$logic_not":
        yield p["A"], width_of(p["A"]), False
    elif kind == "$mul":
        yield p["A"], min(width, width_of(p["A"])), False
        yield p["B"], min(width, width_of(p["B"])), False
    elif kind == "$shl":
        yield p["A"], width, a_signed
        yield p["B"], width_of(p["B"]), False
    elif kind in ("$shr", "$shift") and not cell.parameters.get("B_SIGNED"):
        wide = max(width_of(p["A"]), width)
        yield p["A"], wide, a_signed
        yield p["B"], width_of(p["B"]), False
    else:
        raise NotImplementedError(f"no Verilog is known for a {kind} cell")


def _is_zero(sig: Sig) -> bool:
    return all(isinstance(piece, Bits) and set(piece.value) == {"0"} for piece in sig)


def expression(cell: Cell, width: int, read: Read) -> Expression:
    """The low ``width`` bits of the result of ``cell``."""
    kind = cell.kind
    values = [fitted(sig, wide, sign) for sig, wide, sign in operands(cell, width)]
    if kind in CHOICES:
        return _chain(values, read)
    terms = [read(value, False) for value in values]
    if kind in _NEUTRAL_ZERO and _is_zero(values[1]):
        return terms[0]
    if kind in _NEUTRAL_ZERO and kind != "$sub" and _is_zero(values[0]):
        return terms[1]
    if kind in _BITWISE:
        return binary(_BITWISE[kind], terms[0], terms[1], width)
    if kind in _SUMS:
        return binary(_SUMS[kind], terms[0], terms[1], width)
    if kind == "$not":
        return inverted(terms[0])
    if kind == "$neg":
        return binary("-", constant("0" * width), terms[0], width)
    if kind in _COMPARISONS:
        return _compared(cell, _COMPARISONS[kind], values, terms)
    if kind == "$logic_not":
        return inverted(terms[0]) if terms[0].width == 1 else binary("==", terms[0], constant("0" * terms[0].width), 1)
    if kind in _REDUCTIONS:
        return terms[0] if terms[0].width == 1 else reduced(_REDUCTIONS[kind], terms[0])
    if kind == "$mul":
        if cell.parameters["A_SIGNED"]:
            terms = [signed(term) for term in terms]
        return binary("*", terms[0], terms[1], width)
    if kind == "$shl":
        return binary("<<", terms[0], terms[1], width)
    shifted = binary(">>", terms[0], terms[1], terms[0].width)
    if shifted.width == width:
        return shifted
    if width != 1:
        raise NotImplementedError(f"no Verilog is known for a {kind} cell that cuts its result to {width} bits")
    return reduced("|", binary("&", shifted, constant(format(1, f"0{shifted.width}b")), shifted.width))


def _chain(values: list[Sig], read: Read) -> Expression:
    *ways, otherwise = values
    result = read(otherwise, True)
    for index in range(len(ways) - 2, -1, -2):
        result = chosen(read(ways[index], False), read(ways[index + 1], False), result)
    return result


def _compared(cell: Cell, operator: str, values: list[Sig], terms: list[Expression]) -> Expression:
    if terms[0].width == 1 and operator in ("==", "!="):
        for this, other in ((0, 1), (1, 0)):
            if values[other] in ((Bits("0"),), (Bits("1"),)):
                same = (values[other] == (Bits("1"),)) == (operator == "==")
                return terms[this] if same else inverted(terms[this])
    if cell.parameters.get("A_SIGNED") and operator not in ("==", "!="):
        terms = [signed(term) for term in terms]
    return binary(operator, terms[0], terms[1], 1)
