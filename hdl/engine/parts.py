"""The blocks of an engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.utils import exact_log2

from tilewright.hdl.axi.read_share import ReadShare
from tilewright.hdl.engine.channel_memory import ChannelMemory
from tilewright.hdl.engine.compute_sequencer import ComputeSequencer
from tilewright.hdl.engine.counters import Counters
from tilewright.hdl.engine.dispatch import Dispatch
from tilewright.hdl.engine.fetch import Fetch
from tilewright.hdl.engine.finish_chain import FinishChain
from tilewright.hdl.engine.load_sequencer import LoadSequencer
from tilewright.hdl.engine.parameters import EngineParameters
from tilewright.hdl.engine.read_mover import ReadMover
from tilewright.hdl.engine.registers import Registers
from tilewright.hdl.engine.release import Release
from tilewright.hdl.engine.residual_port import ResidualPort
from tilewright.hdl.engine.row_sums import RowSums
from tilewright.hdl.engine.store_sequencer import StoreSequencer
from tilewright.hdl.engine.stream_side import StreamSide
from tilewright.hdl.engine.supervisor import Supervisor
from tilewright.hdl.engine.tokens import Tokens
from tilewright.hdl.engine.write_mover import WriteMover
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.structure import Block
from tilewright.hdl.systolic.core import GemmCore

FAULTS = ("read", "fetching", "illegal", "load", "compute", "store", "tokens")
"""What may fail; of those in the same cycle the first counts."""

RESIDUAL_DEPTH = 64
"""Beats of a tensor to be added that wait for the results; loads behind it wait when there are more."""


class EngineParts:
    """The blocks of an engine, not connected yet.

    ``lasting`` are those that only the reset of the engine resets, ``of_a_run`` those that are also reset between runs;
    every one is an attribute by its name, too.
    """

    def __init__(self, p: EngineParameters, constants: Mapping[str, int]) -> None:
        self.parameters = p
        elements = p.elements
        self.supervisor = Supervisor(FAULTS)
        self.registers = Registers(constants)
        self.counters = Counters()
        self.streams = StreamSide(p) if p.streams else None
        self.reads: Any
        self.writes: Any
        self.fetch: Any
        if self.streams is None:
            self.share = ReadShare(p.address_bits, p.bus_bits, 2 * p.outstanding)
            self.reads = ReadMover(p.bus_bits, p.address_bits, p.max_burst, p.outstanding, p.targets)
            self.writes = WriteMover(p.bus_bits, p.address_bits, p.max_burst, p.outstanding, p.sources)
            self.fetch = Fetch(p.address_bits, p.bus_bits, p.max_burst, p.queue_depth)
        else:
            side = self.streams
            self.reads, self.writes, self.fetch = side.reads, side.writes, side.fetch
        self.dispatch = Dispatch(p.queue_depth)
        self.tokens = Tokens()
        self.load = LoadSequencer(p.address_bits, elements, sums=p.row_sums > 0)
        self.compute = ComputeSequencer(p.core)
        self.store = StoreSequencer(p.address_bits, tuple(exact_log2(source.container) for source in p.sources))
        self.core = GemmCore(p.core)
        self.release = Release(p.address_bits, self.core.read_c.beat, len(p.sources))
        self.finish = FinishChain(p.finish, adds=p.adds, pool_words=p.pool_words) if p.finish is not None else None
        lanes = self.core.read_c.geometry.lanes
        self.channels = ChannelMemory(p.channels, lanes, p.channel_lanes) if p.channels else None
        a = p.core.a
        sums = p.row_sums and isinstance(a, IntFormat)
        self.sums = RowSums(p.targets[0].values, a, p.row_sums, p.sum_width) if sums else None  # type: ignore[arg-type]
        self.residual = ResidualPort(p.sources[1].beat, RESIDUAL_DEPTH) if p.adds else None

    @property
    def lasting(self) -> dict[str, Block]:
        """See above."""
        found = {name: getattr(self, name) for name in ("registers", "supervisor", "counters")}
        if self.streams is not None:
            return found | self.streams.lasting
        return found | {name: getattr(self, name) for name in ("share", "reads", "writes")}

    @property
    def of_a_run(self) -> dict[str, Block]:
        """See above."""
        names = ["dispatch", "tokens", "load", "compute", "store", "core", "release"]
        names += ["finish", "channels", "sums", "residual"]
        found = self.streams.of_a_run if self.streams is not None else {"fetch": self.fetch}
        found |= {name: getattr(self, name) for name in names}
        return {name: block for name, block in found.items() if block is not None}

    @property
    def sequencers(self) -> dict[str, Block]:
        """The three sequencers, as they are called in `tokens.SEQUENCERS`."""
        return {"load": self.load, "compute": self.compute, "store": self.store}
