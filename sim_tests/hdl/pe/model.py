"""What a processing element does, cycle by cycle, in plain integers; None is a value that nobody can know."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.pe import Element, IntegerOperands

Word = int | None


def elements(word: int, fmt: IntFormat, vector: int) -> list[int]:
    """The elements of an operand word."""
    found = [word >> index * fmt.width & ((1 << fmt.width) - 1) for index in range(vector)]
    return [value - (1 << fmt.width) if value > fmt.max else value for value in found]


def step_sum(o: IntegerOperands, start: Word, term: Word) -> Word:
    """One accumulating add."""
    if start is None or term is None:
        return None
    half = 1 << o.sum_width - 1
    if o.overflow == "saturate":
        return min(max(start + term, -half), half - 1)
    return (start + term + half) % (2 * half) - half


def integers(element: Element) -> IntegerOperands:
    """The operands of an element of integers."""
    assert isinstance(element.operands, IntegerOperands)
    return element.operands


@dataclass
class Chain:
    """A register in a chain down the column that waits for its own swap before it takes the next word."""

    next: Word = None
    free: bool = True

    def step(self, above: Word, *, shift: int, done: int, swap: int) -> None:
        may = self.free or bool(swap)
        if shift and may:
            self.next = above
        self.free = may and not (done and shift)


class Model:
    """One element; `step` takes the inputs of a cycle and gives its outputs."""

    def __init__(self, element: Element) -> None:
        self.element, self.o = element, integers(element)
        self.holds = "swap" in element.row_controls
        self.keeps = "capture" in element.row_controls
        self.x: Word = None
        self.y: Word = None
        self.active: Word = None
        self.kept: Word = None
        self.sum: Word = None
        self.draining = False
        self.controls = dict.fromkeys(element.row_controls, 0)
        self.operands, self.seeds = Chain(), Chain()
        self.terms: deque[Word] = deque([None] * self.o.pipeline)

    def outputs(self) -> dict[str, Word]:
        """Outputs before the clock edge: all are registers."""
        out: dict[str, Word] = {"x_out": self.x, "sum_out": self.sum}
        out["y_out"] = self.operands.next if self.holds else self.y
        if self.element.has_seeds:
            out["seed_out"] = self.seeds.next
        return out | {f"{control}_out": value for control, value in self.controls.items()}

    def step(self, given: Mapping[str, int]) -> None:
        """The clock edge."""
        o, c = self.o, dict(self.controls)
        held = self.active if self.holds else self.y
        dot: Word = None
        if self.x is not None and held is not None:
            pairs = zip(elements(self.x, o.x, o.vector), elements(held, o.y, o.vector), strict=True)
            dot = sum(a * b for a, b in pairs)
        self.terms.append(dot)
        start = self.kept
        if c.get("start"):
            start = self.seeds.next
        if not self.keeps or c.get("pass_sum"):
            start = given["sum_in"]
        total = step_sum(o, start, self.terms.popleft())
        if not self.keeps:
            self.sum = total
        else:
            moving = self.draining or bool(given["drain"])
            if c["capture"]:
                self.sum = total
            elif moving:
                self.sum = given["sum_in"]
            self.draining = moving and not c["capture"]
        self.kept = 0 if c.get("clear") else total
        if self.element.has_seeds:
            self.seeds.step(given["seed_in"], shift=given["seed_shift"], done=given["seed_done"], swap=c["start"])
        if self.holds:
            if given["swap_in"]:
                self.active = self.operands.next
            self.operands.step(given["y_in"], shift=given["shift"], done=given["done"], swap=given["swap_in"])
        self.x, self.y = given["x_in"], given["y_in"]
        self.controls = {control: given[f"{control}_in"] for control in self.controls}


def run(element: Element, inputs: Mapping[str, Sequence[int]]) -> dict[str, list[Word]]:
    """Outputs in each cycle; sums and seeds are signed."""
    model = Model(element)
    seen: dict[str, list[Word]] = {name: [] for name in model.outputs()}
    for cycle in range(len(inputs["x_in"])):
        for name, value in model.outputs().items():
            seen[name].append(value)
        model.step({name: values[cycle] for name, values in inputs.items()})
    return seen
