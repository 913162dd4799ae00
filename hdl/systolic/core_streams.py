"""The streams of a GEMM core."""

from __future__ import annotations

from typing import Any

from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Member, Out

from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.systolic.beat_word import beat_values
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, command_layout, completion_layout

PORTS = ("load_a", "load_b", "load_c", "read_c")


def beat_layouts(p: CoreParameters) -> dict[str, data.StructLayout]:
    """Beats of each port."""
    c = beat_layout(p.c_memory.lanes, p.c_memory.width)
    return {
        "load_a": beat_layout(beat_values(p.a_memory, "row"), p.a_memory.width),
        "load_b": beat_layout(beat_values(p.b_memory, "column"), p.b_memory.width),
        "load_c": c,
        "read_c": c,
    }


def core_streams(p: CoreParameters) -> dict[str, Member]:
    """All of them: commands and their completions; of each port its commands, beats and answers."""
    members: dict[str, Any] = {
        "command": In(stream.Signature(command_layout(p))),
        "completion": Out(stream.Signature(completion_layout(p))),
    }
    for name, layout in beat_layouts(p).items():
        beats = stream.Signature(layout)
        members |= {
            f"{name}_command": In(stream.Signature(TRANSFER)),
            f"{name}_beats": Out(beats) if name == "read_c" else In(beats),
            f"{name}_answer": Out(stream.Signature(ANSWER)),
        }
    return members
