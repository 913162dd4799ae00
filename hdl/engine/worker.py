"""A core of an engine that has several."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Module
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.axi.signatures import read_signature, write_signature
from tilewright.hdl.engine.answers import FAULT
from tilewright.hdl.engine.core_parts import CoreParts
from tilewright.hdl.engine.data_paths import connect_data
from tilewright.hdl.engine.first_fault import FirstFault
from tilewright.hdl.engine.parameters import EngineParameters
from tilewright.hdl.engine.records import INSTRUCTION_BITS, TOKENS
from tilewright.hdl.engine.register_map import COUNTER_WORDS
from tilewright.hdl.engine.supervision import connect_counters, connect_faults, core_faults, quiet, read_fault, writing
from tilewright.hdl.engine.token_paths import connect_sequencers
from tilewright.hdl.engine.tokens import SEQUENCERS
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.structure import Block, named, place

FAULTS = ("read", "illegal", "load", "compute", "store", "tokens")
"""What may fail in a core; of those in the same cycle the first counts."""


class Worker(Block):
    """Carries out the instructions that are dealt to it: sequencers with tokens of their own, movers, core, finish.

    Latency from ``instruction`` to a sequencer's queue: 2 cycles.

    Members
    -------
    instruction: stream of its instructions
    read, write: its port to memory
    start: a run begins; running: it goes on; stop: no further instruction starts; flush: all but the bus is reset
    fetched: a beat of the program was read, which its counters count
    quiet: no sequencer has anything to do; reading, writing: the bus has; progress: anything has moved
    fault_valid, fault: the first fault of this cycle
    s_missing for each sequencer s: see `Tokens`
    counter: word ``counter_word`` of its counters, as they follow each other in the register map
    """

    def __init__(self, parameters: EngineParameters) -> None:
        self.parameters = p = parameters
        members: dict[str, Any] = {
            "instruction": In(stream.Signature(INSTRUCTION_BITS)),
            "read": Out(read_signature(p.address_bits, p.bus_bits)),
            "write": Out(write_signature(p.address_bits, p.bus_bits)),
        }
        members |= {name: In(1) for name in ("start", "running", "stop", "flush", "fetched")}
        members |= {name: Out(1) for name in ("quiet", "reading", "writing", "progress", "fault_valid")}
        members |= {"fault": Out(FAULT)} | {f"{name}_missing": Out(TOKENS) for name in SEQUENCERS}
        super().__init__("worker", members | {"counter_word": In(range(COUNTER_WORDS)), "counter": Out(32)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        parts = CoreParts(self.parameters)
        first, dealt = FirstFault(FAULTS), Buffer(INSTRUCTION_BITS)
        for name, block in parts.lasting.items():
            m.submodules[name] = place(platform, block)
        m.submodules.dealt = place(platform, dealt, reset=self.flush)
        for name, block in parts.of_a_run.items():
            m.submodules[name] = place(platform, block, reset=self.flush)
        m.submodules.first_fault = place(platform, first)
        reads: Any = parts.reads
        writes: Any = parts.writes
        connect(m, flipped(self.instruction), dealt.i)
        connect(m, dealt.o, parts.dispatch.i)
        connect(m, reads.ar, flipped(self.read.ar))
        connect(m, flipped(self.read.r), reads.r)
        for channel in ("aw", "w"):
            connect(m, getattr(writes, channel), flipped(getattr(self.write, channel)))
        connect(m, flipped(self.write.b), writes.b)
        connect_sequencers(m, parts, self.stop)
        connect_data(m, parts)
        connect_faults(m, first, {"read": read_fault(reads)} | core_faults(parts))
        moves = connect_counters(m, parts, self.fetched, self.running)
        counts = parts.counters.counts
        words = Array(counts[32 * word : 32 * (word + 1)] for word in range(COUNTER_WORDS))
        m.d.comb += [
            parts.counters.clear.eq(self.start),
            self.quiet.eq(~dealt.o.valid & quiet(parts)),
            self.reading.eq(~reads.idle),
            self.writing.eq(writing(parts)),
            self.progress.eq(moves),
            self.fault_valid.eq(first.valid),
            self.fault.eq(first.fault),
            self.counter.eq(named(m, words[self.counter_word], "counted")),
        ]
        m.d.comb += [getattr(self, f"{s}_missing").eq(getattr(parts.tokens, f"{s}_missing")) for s in SEQUENCERS]
        return m
