"""Where registers part a floating-point unit."""

from __future__ import annotations

from typing import Literal

from amaranth.hdl import Cat, Const, Module, Value

from tilewright.hdl.structure import pipeline

Phase = Literal["swap", "align", "add", "count", "shift", "round"]
"""What a unit does, in this order: puts the addend with the greater exponent first, shifts the other, adds (or
multiplies), shifts leading zeros out by many ("count") and by few places ("shift"), rounds."""

Table = tuple[tuple[Phase, ...], ...]
"""Behind which phases 0, 1, 2 and so on registers balance; more than the table has all follow the last phase."""

SUM: Table = (
    (),
    ("add",),
    ("align", "count"),
    ("swap", "add", "count"),
    ("swap", "add", "count", "shift"),
    ("swap", "align", "add", "count", "shift"),
    ("swap", "align", "add", "count", "shift", "round"),
)
"""Units that add: of all ways to place so many registers, where the longest logic on an ECP5 is estimated shortest."""

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

    def __call__(self, phase: Phase, value: Value, name: str, *, zeros: int = 0) -> Value:
        """``value``, made in ``phase``, as the next phase sees it; its lowest ``zeros`` bits are known to be 0.

        What is constant has no registers.
        """
        if isinstance(value, Const):
            return value
        held = value[zeros:] if zeros else value
        kept = pipeline(self._m, held, self._registers.get(phase, 0), f"{phase}_{name}")
        return Cat(Const(0, zeros), kept) if zeros else kept
