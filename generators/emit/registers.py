"""Clocked statements: registers that are written under the same conditions share them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.generators.emit.expression import Expression, Text, inverted, line, lines

ROOM = 100
"""Characters of a line before a chain of choices is broken."""


@dataclass(frozen=True)
class Write:
    """``target <= value``."""

    target: str
    value: Expression


@dataclass(frozen=True)
class If:
    """``if (condition) yes else no``."""

    condition: Expression
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]


Statement = Write | If


def merged(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """``statements``, which write different registers, with equal conditions tested once."""
    groups: dict[str, list[Statement]] = {}
    for number, statement in enumerate(statements):
        key = line(statement.condition) if isinstance(statement, If) else f"\n{number}"
        groups.setdefault(key, []).append(statement)
    found: list[Statement] = []
    for group in groups.values():
        first = group[0]
        if isinstance(first, If):
            ifs = [statement for statement in group if isinstance(statement, If)]
            yes = merged([s for i in ifs for s in i.yes])
            no = merged([s for i in ifs for s in i.no])
            found.append(If(first.condition, yes, no) if yes else If(opposite(first.condition), no, ()))
        else:
            found.append(first)
    return tuple(found)


def opposite(condition: Expression) -> Expression:
    """The condition that holds when ``condition`` does not."""
    if isinstance(condition, Text) and condition.operator == "~":
        return Text(condition.text[1:], 1)
    return inverted(condition)


def written(statements: Sequence[Statement], indent: str) -> list[str]:
    """Lines of ``statements``."""
    found: list[str] = []
    for statement in statements:
        if isinstance(statement, Write):
            found.append(f"{indent}{statement.target} <= {lines(statement.value, indent + '    ', ROOM)};")
        else:
            found += _if(statement, indent, f"{indent}if")
    return found


def _if(statement: If, indent: str, opening: str) -> list[str]:
    many = len(statement.yes) > 1 or isinstance(statement.yes[0], If)
    found = [f"{opening} ({_bare(line(statement.condition))})" + (" begin" if many else "")]
    found += written(statement.yes, indent + "  ")
    if not statement.no:
        return [*found, f"{indent}end"] if many else found
    otherwise = f"{indent}end else" if many else f"{indent}else"
    only = statement.no[0]
    if len(statement.no) == 1 and isinstance(only, If):
        return [*found, *_if(only, indent, f"{otherwise} if")]
    if len(statement.no) > 1:
        return [*found, f"{otherwise} begin", *written(statement.no, indent + "  "), f"{indent}end"]
    return [*found, otherwise, *written(statement.no, indent + "  ")]


def _bare(condition: str) -> str:
    """``condition`` without brackets around the whole of it."""
    depth = 0
    for at, character in enumerate(condition):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return condition[1:-1] if at == len(condition) - 1 and at > 0 else condition
    return condition


def clocked(clock: str, statements: Sequence[Statement], reset: str) -> list[str]:
    """One block for what ``reset`` clears, one for all else."""
    together = merged(statements)
    with_reset = [s for s in together if isinstance(s, If) and line(s.condition) == reset]
    without = [s for s in together if s not in with_reset]
    found: list[str] = []
    for block in (with_reset, without):
        if not block:
            continue
        alone = len(block) == 1
        found.append(f"  always @(posedge {clock})" + ("" if alone else " begin"))
        found += written(block, "    ")
        found += [] if alone else ["  end"]
    return found
