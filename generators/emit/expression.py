"""Verilog expressions of known width.

Every expression here has exactly the width that its author meant, and operands that Verilog would extend to their
context have the width of the operation already. So an expression means the same wherever it is written, and no tool
sees a width that does not match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PRIMARY, UNARY, CHOICE = 100, 90, 10
LEVELS = {"*": 80, "+": 70, "-": 70, "<<": 60, ">>": 60, "<": 55, "<=": 55, ">": 55, ">=": 55}
LEVELS |= {"==": 50, "!=": 50, "&": 40, "^": 35, "|": 30}
_ASSOCIATIVE = frozenset("+&|^")


@dataclass(frozen=True)
class Text:
    """An expression; ``level`` tells how strongly its outermost operator binds, ``operator`` which one that is.

    ``parts`` are what a concatenation joins.
    """

    text: str
    width: int
    level: int = PRIMARY
    operator: str = ""
    parts: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Choice:
    """``condition ? yes : no``."""

    condition: Expression
    yes: Expression
    no: Expression

    @property
    def width(self) -> int:
        """Bits of both branches."""
        return self.yes.width


Expression = Text | Choice


def chosen(condition: Expression, yes: Expression, no: Expression) -> Expression:
    """``condition ? yes : no``, as a gate where one branch is a constant bit."""
    if yes.width == 1 and isinstance(yes, Text) and isinstance(no, Text):
        if {yes.text, no.text} == {"1'b0", "1'b1"}:
            return condition if yes.text == "1'b1" else inverted(condition)
        for branch, other, when in ((yes, no, condition), (no, yes, inverted(condition))):
            if branch.text == "1'b1":
                return binary("|", when, other, 1)
            if other.text == "1'b0":
                return binary("&", when, branch, 1)
    return Choice(condition, yes, no)


def constant(bits: str) -> Text:
    """A constant of ``bits``, most significant first."""
    width = len(bits)
    if "x" in bits:
        text = f"{width}'bx" if set(bits) == {"x"} else f"{width}'b{bits}"
    elif width > 8 and len(set(bits)) == 1:
        text = f"{{{width}{{1'b{bits[0]}}}}}" if bits[0] == "1" or width > 32 else f"{width}'d0"
    elif width <= 32:
        text = f"1'b{bits}" if width == 1 else f"{width}'d{int(bits, 2)}"
    else:
        text = f"{width}'h{int(bits, 2):x}"
    return Text(text, width)


def line(expression: Expression) -> str:
    """``expression`` on one line."""
    if isinstance(expression, Text):
        return expression.text
    return f"{_when(expression)} {line(expression.no)}"


def lines(expression: Expression, indent: str, room: int) -> str:
    """``expression``, a chain of choices that is longer than ``room`` with one choice a line."""
    flat = line(expression)
    if isinstance(expression, Text) or len(flat) <= room:
        return flat
    parts = []
    rest: Expression = expression
    while isinstance(rest, Choice):
        parts.append(_when(rest))
        rest = rest.no
    return f"\n{indent}".join([*parts, line(rest)])


def _when(choice: Choice) -> str:
    """``choice`` up to its colon."""
    return f"{bracketed(choice.condition, UNARY)} ? {bracketed(choice.yes, CHOICE + 1)} :"


def bracketed(expression: Expression, level: int, operator: str = "") -> str:
    """``expression`` as an operand: in brackets unless it binds at least as strongly as ``level``."""
    if isinstance(expression, Choice):
        return f"({line(expression)})"
    if expression.level >= level or (operator and operator == expression.operator and operator in _ASSOCIATIVE):
        return expression.text
    return f"({expression.text})"


def binary(operator: str, left: Expression, right: Expression, width: int) -> Text:
    """``left operator right``; anything but names, constants and the same operator goes in brackets."""
    text = f"{bracketed(left, UNARY, operator)} {operator} {bracketed(right, UNARY, operator)}"
    return Text(text, width, LEVELS[operator], operator)


def inverted(operand: Expression) -> Text:
    """``~operand``."""
    return Text(f"~{bracketed(operand, PRIMARY)}", operand.width, UNARY, "~")


def reduced(operator: str, operand: Expression) -> Text:
    """All bits of ``operand`` combined into one; in brackets, so that it does not read as a binary operator."""
    return Text(f"({operator}{bracketed(operand, PRIMARY)})", 1)


def concatenated(parts: Sequence[Expression]) -> Expression:
    """``parts``, most significant first, repetitions told as such."""
    if len(parts) == 1:
        return parts[0]
    flat: list[Expression] = []
    for part in parts:
        for inner in part.parts if isinstance(part, Text) and part.parts else (part,):
            if flat and _is_zero(flat[-1]) and _is_zero(inner):
                flat[-1] = constant("0" * (flat[-1].width + inner.width))
            else:
                flat.append(inner)
    runs: list[list[str]] = []
    for part in flat:
        text = line(part)
        if runs and runs[-1][0] == text:
            runs[-1].append(text)
        else:
            runs.append([text])
    words = [run[0] if len(run) == 1 else f"{{{len(run)}{{{run[0]}}}}}" for run in runs]
    width = sum(part.width for part in flat)
    return Text(words[0], width) if len(words) == 1 else Text(f"{{{', '.join(words)}}}", width, parts=tuple(flat))


def _is_zero(part: Expression) -> bool:
    return isinstance(part, Text) and part.text in ("1'b0", f"{part.width}'d0", f"{{{part.width}{{1'b0}}}}")


def signed(operand: Expression) -> Text:
    """``operand`` read as two's complement."""
    return Text(f"$signed({line(operand)})", operand.width)
