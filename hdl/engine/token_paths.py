"""What the sequencers of a core have to do with its queues and tokens."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib.wiring import connect

from tilewright.hdl.engine.core_parts import CoreParts


def connect_sequencers(m: Module, parts: CoreParts, stop: Value) -> None:
    """Each sequencer takes its instructions from the dispatcher, and its tokens; none starts after ``stop``."""
    tokens = parts.tokens
    for name, sequencer in parts.sequencers.items():
        block: Any = sequencer
        connect(m, getattr(parts.dispatch, name), block.instruction)
        m.d.comb += [
            getattr(tokens, f"{name}_wants").eq(block.wants),
            getattr(tokens, f"{name}_waits").eq(block.waits),
            block.go.eq(getattr(tokens, f"{name}_go")),
            getattr(tokens, f"{name}_takes").eq(block.takes),
            getattr(tokens, f"{name}_gives").eq(block.gives),
            block.stop.eq(stop),
        ]
