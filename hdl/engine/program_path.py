"""The way of instructions: from memory or registers to the sequencers, and their tokens."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib.wiring import connect

from tilewright.hdl.engine.parts import EngineParts
from tilewright.hdl.structure import named


def connect_program(m: Module, parts: EngineParts) -> None:
    """Fetched instructions go to the dispatcher before those of the window; none after END."""
    registers, fetch, dispatch, supervisor = parts.registers, parts.fetch, parts.dispatch, parts.supervisor
    ended = Signal(name="program_ended")
    with m.If(registers.start):
        m.d.sync += ended.eq(0)
    with m.Elif(dispatch.program_end & dispatch.i.ready):
        m.d.sync += ended.eq(1)
    open_ = named(m, supervisor.running & ~ended, "program_open")
    if parts.streams is not None:
        parts.streams.connect_program(m, parts, ended)
    else:
        connect(m, fetch.memory, parts.share.first)
        m.d.comb += [
            fetch.start.eq(registers.start),
            fetch.address.eq(Cat(registers.program_low, registers.program_high)[: fetch.address_bits]),
            fetch.count.eq(registers.program_count),
            fetch.stop.eq(ended | (supervisor.stop & ~registers.start)),
        ]
    m.d.comb += [
        dispatch.i.valid.eq(open_ & (fetch.o.valid | registers.window.valid)),
        dispatch.i.payload.eq(Mux(fetch.o.valid, fetch.o.payload, registers.window.payload)),
        fetch.o.ready.eq(open_ & dispatch.i.ready),
        registers.window.ready.eq((open_ & dispatch.i.ready & ~fetch.o.valid) | supervisor.flush),
        supervisor.over.eq(ended | ((registers.program_count != 0) & fetch.done)),
    ]


def connect_sequencers(m: Module, parts: EngineParts) -> None:
    """Each sequencer takes its instructions from the dispatcher, and its tokens."""
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
            block.stop.eq(parts.supervisor.stop),
        ]
