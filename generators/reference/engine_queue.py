"""Instructions on their way to a sequencer, and when they begin and end."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from tilewright.generators.reference.engine_machine import QUEUE_DEPTH
from tilewright.generators.reference.engine_walks import NEVER


@dataclass
class Moment:
    """When an instruction had its tokens and when it gave its own (cycles from the write of the start bit)."""

    index: int
    begins: int = 0
    ends: int = 0


@dataclass
class InstructionQueue:
    """Instructions of a sequencer that have not begun, when they came; when those before began."""

    waiting: deque[tuple[int, int]] = field(default_factory=deque)
    dealt: int = 0
    begun: deque[int] = field(default_factory=lambda: deque(maxlen=QUEUE_DEPTH))
    free: int = 0

    def room(self) -> int:
        """When there is room for another instruction."""
        if len(self.waiting) == QUEUE_DEPTH:
            return NEVER
        before = len(self.begun) + len(self.waiting) - QUEUE_DEPTH
        return self.begun[before] + 1 if self.dealt >= QUEUE_DEPTH else 0
