"""The way of instructions: from memory or registers to who deals them out."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib.wiring import connect

from tilewright.hdl.engine.many_parts import ManyParts
from tilewright.hdl.engine.parts import EngineParts
from tilewright.hdl.structure import named


def connect_program(m: Module, parts: EngineParts | ManyParts) -> None:
    """Fetched instructions go to the dispatcher before those of the window; none after END."""
    registers, fetch, dispatch, supervisor = parts.registers, parts.fetch, parts.dispatch, parts.supervisor
    ended = Signal(name="program_ended")
    with m.If(registers.start):
        m.d.sync += ended.eq(0)
    with m.Elif(dispatch.program_end & dispatch.i.ready):
        m.d.sync += ended.eq(1)
    open_ = named(m, supervisor.running & ~ended, "program_open")
    if isinstance(parts, EngineParts) and parts.streams is not None:
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
