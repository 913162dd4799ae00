"""The way of beats into and out of the memories of a core that does one thing at a time."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module

from tilewright.hdl.memory import WideScratchpad
from tilewright.hdl.structure import data_register, masked, named
from tilewright.hdl.systolic.beat_word import stored_word
from tilewright.hdl.systolic.mask import capped
from tilewright.hdl.systolic.one_memory import OneMemory
from tilewright.hdl.systolic.turns import KINDS, LOADS, Turns


def connect_streams(m: Module, core: Any, turns: Turns) -> None:
    """Requests and answers of transfers, and what ``turns`` has to know of beats."""
    for kind in KINDS:
        asked, own = getattr(core, f"{kind}_command"), getattr(turns, f"{kind}_command")
        told, answer = getattr(core, f"{kind}_answer"), getattr(turns, f"{kind}_answer")
        m.d.comb += [own.payload.eq(asked.payload), own.valid.eq(asked.valid), asked.ready.eq(own.ready)]
        m.d.comb += [told.payload.eq(answer.payload), told.valid.eq(answer.valid), answer.ready.eq(told.ready)]
    for load in LOADS:
        beats = getattr(core, f"{load}_beats")
        m.d.comb += [
            getattr(turns, f"{load}_valid").eq(beats.valid),
            getattr(turns, f"{load}_last").eq(beats.payload.last),
            beats.ready.eq(getattr(turns, f"{load}_ready")),
        ]


def connect_operand(m: Module, core: Any, turns: Turns, name: str, memory: WideScratchpad) -> None:
    """``memory``, of A or B, is written by its loads alone."""
    beat = getattr(core, f"load_{name}_beats").payload
    word, slots = stored_word(m, beat, memory.geometry, "row" if name == "a" else "column", turns.slot)
    m.d.comb += [
        memory.write.eq(getattr(turns, f"load_{name}_write")),
        memory.write_address.eq(turns.address),
        memory.write_slots.eq(slots),
        memory.write_data.eq(word),
    ]


def connect_c(m: Module, core: Any, turns: Turns, memory: OneMemory) -> None:
    """``memory`` is written by loads of C, and read out."""
    g = core.parameters.c_memory
    clear = turns.stream_valid
    keep = core.load_c_beats.payload.keep & (~clear).replicate(g.lanes)
    word, _ = stored_word(m, core.load_c_beats.payload, g, "row", turns.slot, keep)
    beats = core.read_c_beats
    exist = named(m, capped(m, turns.left, g.lanes, "columns"), "columns_capped")
    keep = data_register(m, Cat(exist > lane for lane in range(g.lanes)), "keep", enable=turns.read)
    m.d.comb += [
        memory.write.eq(turns.load_c_write),
        memory.clear.eq(clear),
        memory.read.eq(turns.read),
        memory.region.eq(turns.region),
        memory.address.eq(turns.address),
        memory.data.eq(word),
        beats.valid.eq(turns.gives),
        turns.given.eq(beats.ready),
        beats.payload.last.eq(turns.finishes),
        beats.payload.keep.eq(keep),
        beats.payload.data.eq(masked(memory.read_data, keep, g.width)),
    ]
