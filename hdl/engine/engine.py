"""The GEMM engine: memory in, memory out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib.wiring import In, Out, Signature, connect, flipped

from tilewright.hdl.axi.signatures import lite_signature, read_signature, write_signature
from tilewright.hdl.engine.data_paths import connect_data
from tilewright.hdl.engine.many_parts import ManyParts
from tilewright.hdl.engine.many_paths import connect_workers, supervise_workers
from tilewright.hdl.engine.parameters import EngineParameters
from tilewright.hdl.engine.parts import EngineParts
from tilewright.hdl.engine.program_path import connect_program
from tilewright.hdl.engine.register_map import ADDRESS_BITS
from tilewright.hdl.engine.stream_side import stream_members
from tilewright.hdl.engine.supervision import connect_supervision
from tilewright.hdl.engine.token_paths import connect_sequencers
from tilewright.hdl.structure import Block, named, place


class Engine(Block):
    """Runs programs of loads, matrix products and stores that lie in memory, or come through registers.

    Load, compute and store sequencer each carry out their instructions in order, and wait for each other by tokens
    alone. The memory port is one AXI4 manager with one ID, whose bursts are of full width and of type INCR; or, with
    ``streams``, program and matrices come and go in packets (`StreamSide`). Of several cores each is a `Worker`, and
    has a port of its own; the program comes through that of core 0.

    Members
    -------
    s_axi: AXI4-Lite, registers (`register_map`); irq: a run has ended
    m_axi, or m_axi_n for each core n of several: AXI4, to memory; with ``streams`` instead of it: s_axis_program,
    s_axis_load, m_axis_store
    """

    def __init__(self, parameters: EngineParameters, constants: Mapping[str, int]) -> None:
        p = self.parameters = parameters
        self.constants = dict(constants)
        read, write = read_signature(p.address_bits, p.bus_bits), write_signature(p.address_bits, p.bus_bits)
        port = Signature({**read.members, **write.members})
        members: dict[str, Any] = {name: Out(port) for name in p.memory_ports}
        members |= stream_members(p) if p.streams else {}
        super().__init__("engine", {**members, "s_axi": In(lite_signature(ADDRESS_BITS)), "irq": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        parts = EngineParts(p, self.constants) if p.cores == 1 else ManyParts(p, self.constants)
        flush = named(m, parts.supervisor.flush, "flush")
        for name, block in parts.lasting.items():
            m.submodules[name] = place(platform, block)
        for name, block in parts.of_a_run.items():
            m.submodules[name] = place(platform, block, reset=flush)
        connect(m, flipped(self.s_axi), parts.registers.bus)
        m.d.comb += self.irq.eq(parts.registers.irq)
        for name, (reads, writes) in zip(p.memory_ports, _ports(parts), strict=True):
            port = getattr(self, name)
            for channel in ("ar", "r"):
                _pass(m, getattr(reads, channel), getattr(port, channel), out=channel == "ar")
            for channel in ("aw", "w", "b"):
                _pass(m, getattr(writes, channel), getattr(port, channel), out=channel != "b")
        connect_program(m, parts)
        if isinstance(parts, ManyParts):
            connect_workers(m, parts)
            supervise_workers(m, parts)
        else:
            connect_sequencers(m, parts, parts.supervisor.stop)
            if parts.streams is not None:
                parts.streams.connect_ports(m, parts, self)
            else:
                connect(m, parts.reads.ar, parts.share.second.ar)
                connect(m, parts.share.second.r, parts.reads.r)
            connect_data(m, parts)
            connect_supervision(m, parts)
        return m


def _ports(parts: EngineParts | ManyParts) -> list[tuple[Any, Any]]:
    """What reads and what writes at each memory port."""
    if isinstance(parts, EngineParts):
        return [(parts.share.port, parts.writes)] if parts.streams is None else []
    reads = [parts.share.port, *(worker.read for worker in parts.workers[1:])]
    return list(zip(reads, (worker.write for worker in parts.workers), strict=True))


def _pass(m: Module, inner: Any, outer: Any, *, out: bool) -> None:
    """Connects a stream of a block inside with one of this block."""
    source, sink = (inner, outer) if out else (outer, inner)
    m.d.comb += [
        sink.valid.eq(source.valid),
        Value.cast(sink.payload).eq(source.payload),
        source.ready.eq(sink.ready),
    ]
