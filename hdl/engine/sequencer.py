"""What all sequencers of the engine have in common."""

from __future__ import annotations

from typing import Any

from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.engine.answers import FAULT
from tilewright.hdl.engine.records import INSTRUCTION_BITS, TOKENS


def sequencer_members() -> dict[str, Any]:
    """Ports of a sequencer.

    ``instruction``: stream of its instructions, in order. ``wants``, ``waits``, ``go``, ``takes``, ``gives``: see
    `Tokens`. ``stop``: no further instruction starts. ``fault_valid``: ``fault`` has happened in this cycle. ``idle``:
    every instruction that has started has ended.
    """
    return {
        "instruction": In(stream.Signature(INSTRUCTION_BITS)),
        "wants": Out(1),
        "waits": Out(TOKENS),
        "go": In(1),
        "takes": Out(1),
        "gives": Out(TOKENS),
        "stop": In(1),
        "fault_valid": Out(1),
        "fault": Out(FAULT),
        "idle": Out(1),
    }
