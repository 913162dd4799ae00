"""Uses every word of A and B, whose contents only products show."""

from __future__ import annotations

from tilewright.generators.reference.core import DATAFLOWS
from tilewright.generators.reference.records import Command, Transfer
from tilewright.sim_tests.system.program import Author, Step, pieces

DEEP = 64  # groups of B along K in one product
SATURATING = 8  # few enough that sums which saturate or round do not hide what is in them


def look_at_operands(author: Author) -> None:
    """Adds products with every word of A and of B, and reads them out; they overwrite the first words of C.

    Zeros among the operands would hide what they are multiplied with, so there should be none.
    """
    pads, vector = author.config.scratchpads, author.config.vector
    for base, rows in pieces(pads.a.words, pads.c.words):
        depth = min(pads.a.lanes, pads.b.words) * vector
        _look(author, Command(rows, 1, depth, _dataflow(author), a_base=base))
    deepest = min(SATURATING if author.config.seeded else DEEP, pads.a.words * pads.a.lanes)
    width = min(pads.b.lanes, pads.c.words * pads.c.lanes)
    for base, groups in pieces(pads.b.words, deepest):
        _look(author, Command(1, width, groups * vector, _dataflow(author), b_base=base))


def _look(author: Author, command: Command) -> None:
    author.add(Step(command=command))
    author.add(Step(transfer=Transfer(0, command.m, command.n)))


def _dataflow(author: Author) -> int:
    return DATAFLOWS[author.config.dataflow][0]
