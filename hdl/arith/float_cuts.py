"""Where registers part a floating-point unit."""

from __future__ import annotations

from typing import Literal

from amaranth.hdl import Module, Value

from tilewright.hdl.structure import pipeline

Phase = Literal["swap", "align", "add", "count", "shift", "round"]
"""What a unit does, in this order: puts the addend with the greater exponent first, shifts the other, adds (or
multiplies), counts leading zeros, shifts them out, rounds."""

Table = tuple[tuple[Phase, ...], ...]
"""Behind which phases 0, 1, 2 and so on registers balance; more than the table has all follow the last phase."""

SUM: Table = (
    (),
    ("add",),
    ("align", "count"),
    ("align", "add", "shift"),
    ("swap", "align", "add", "shift"),
    ("swap", "align", "add", "count", "shift"),
    ("swap", "align", "add", "count", "shift", "round"),
)
"""Units that add."""

SINGLE: Table = ((), ("add",), ("add", "shift"), ("add", "count", "shift"), ("add", "count", "shift", "round"))
"""Units that only multiply or convert."""


class Cuts:
    """``stages`` registers, at least 0, spread over the phases as ``table`` says; they have no reset."""

    def __init__(self, m: Module, stages: int, table: Table = SUM) -> None:
        if stages < 0:
            raise ValueError(f"stages must be at least 0, got {stages}; nearest legal value is 0")
        phases = table[min(stages, len(table) - 1)]
        self._m = m
        self._registers = dict.fromkeys(phases, 1)
        if stages > len(phases):
            self._registers["round"] += stages - len(phases)

    def __call__(self, phase: Phase, value: Value, name: str) -> Value:
        """``value``, made in ``phase``, as the next phase sees it."""
        return pipeline(self._m, value, self._registers.get(phase, 0), f"{phase}_{name}")
