"""The GEMM engine: memory in, memory out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib.wiring import In, Out, Signature, connect, flipped

from tilewright.hdl.axi.signatures import lite_signature, read_signature, write_signature
from tilewright.hdl.engine.data_paths import connect_data
from tilewright.hdl.engine.parameters import EngineParameters
from tilewright.hdl.engine.parts import EngineParts
from tilewright.hdl.engine.program_path import connect_program, connect_sequencers
from tilewright.hdl.engine.register_map import ADDRESS_BITS
from tilewright.hdl.engine.stream_side import stream_members
from tilewright.hdl.engine.supervision import connect_supervision
from tilewright.hdl.structure import Block, named, place


class Engine(Block):
    """Runs programs of loads, matrix products and stores that lie in memory, or come through registers.

    Load, compute and store sequencer each carry out their instructions in order, and wait for each other by tokens
    alone. The memory port is one AXI4 manager with one ID, whose bursts are of full width and of type INCR; or, with
    ``streams``, program and matrices come and go in packets (`StreamSide`).

    Members
    -------
    s_axi: AXI4-Lite, registers (`register_map`); irq: a run has ended
    m_axi: AXI4, to memory; with ``streams`` instead of it: s_axis_program, s_axis_load, m_axis_store
    """

    def __init__(self, parameters: EngineParameters, constants: Mapping[str, int]) -> None:
        p = self.parameters = parameters
        self.constants = dict(constants)
        read, write = read_signature(p.address_bits, p.bus_bits), write_signature(p.address_bits, p.bus_bits)
        port = Signature({**read.members, **write.members})
        data = stream_members(p) if p.streams else {"m_axi": Out(port)}
        super().__init__("engine", {**data, "s_axi": In(lite_signature(ADDRESS_BITS)), "irq": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        parts = EngineParts(p, self.constants)
        flush = named(m, parts.supervisor.flush, "flush")
        for name, block in parts.lasting.items():
            m.submodules[name] = place(platform, block)
        for name, block in parts.of_a_run.items():
            m.submodules[name] = place(platform, block, reset=flush)
        connect(m, flipped(self.s_axi), parts.registers.bus)
        m.d.comb += self.irq.eq(parts.registers.irq)
        if parts.streams is not None:
            parts.streams.connect_ports(m, parts, self)
        else:
            for channel in ("ar", "r"):
                _pass(m, getattr(parts.share.port, channel), getattr(self.m_axi, channel), out=channel == "ar")
            for channel in ("aw", "w", "b"):
                _pass(m, getattr(parts.writes, channel), getattr(self.m_axi, channel), out=channel != "b")
        connect_program(m, parts)
        connect_sequencers(m, parts)
        connect_data(m, parts)
        connect_supervision(m, parts)
        return m


def _pass(m: Module, inner: Any, outer: Any, *, out: bool) -> None:
    """Connects a stream of a block inside with one of this block."""
    source, sink = (inner, outer) if out else (outer, inner)
    m.d.comb += [
        sink.valid.eq(source.valid),
        Value.cast(sink.payload).eq(source.payload),
        source.ready.eq(sink.ready),
    ]
