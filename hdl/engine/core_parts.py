"""The blocks that each core of an engine has of its own."""

from __future__ import annotations

from typing import Any

from amaranth.utils import exact_log2

from tilewright.hdl.engine.channel_memory import ChannelMemory
from tilewright.hdl.engine.compute_sequencer import ComputeSequencer
from tilewright.hdl.engine.counters import Counters
from tilewright.hdl.engine.dispatch import Dispatch
from tilewright.hdl.engine.finish_chain import FinishChain
from tilewright.hdl.engine.load_sequencer import LoadSequencer
from tilewright.hdl.engine.parameters import EngineParameters
from tilewright.hdl.engine.read_mover import ReadMover
from tilewright.hdl.engine.release import Release
from tilewright.hdl.engine.residual_port import ResidualPort
from tilewright.hdl.engine.row_sums import RowSums
from tilewright.hdl.engine.store_sequencer import StoreSequencer
from tilewright.hdl.engine.stream_side import StreamSide
from tilewright.hdl.engine.tokens import Tokens
from tilewright.hdl.engine.transposer import Transposer
from tilewright.hdl.engine.write_mover import WriteMover
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.structure import Block
from tilewright.hdl.systolic.core import GemmCore
from tilewright.hdl.systolic.core_streams import beat_layouts

RESIDUAL_DEPTH = 64
"""Beats of a tensor to be added that wait for the results; loads behind it wait when there are more."""


class CoreParts:
    """The blocks of one core, not connected yet: queues of instructions, sequencers, tokens, movers, core, finish.

    ``lasting`` are those that only the reset of the engine resets, ``of_a_run`` those that are also reset between runs;
    every one is an attribute by its name, too. ``incoming`` and ``outgoing`` see the beats of data, ``answers`` is
    the stream of what has been stored.

    Args:
        p: parameters of the engine.
        streams: what has taken the place of the memory port, with the movers.
    """

    reads: Any
    writes: Any
    incoming: Any
    outgoing: Any

    def __init__(self, p: EngineParameters, streams: StreamSide | None = None) -> None:
        self.parameters = p
        self.counters = Counters()
        if streams is None:
            self.incoming = self.reads = ReadMover(p.bus_bits, p.address_bits, p.max_burst, p.outstanding, p.targets)
            self.outgoing = self.writes = WriteMover(p.bus_bits, p.address_bits, p.max_burst, p.outstanding, p.sources)
            self.answers = self.writes.b
        else:
            self.reads, self.writes = streams.reads, streams.writes
            self.incoming, self.outgoing, self.answers = streams.loads, streams.stores, self.writes.answer
        self.dispatch = Dispatch(p.queue_depth)
        self.tokens = Tokens()
        turns = {port.name: port for port in p.targets[:2]} if p.transposer else {}
        values = {name: port.values for name, port in turns.items()}
        self.load = LoadSequencer(p.address_bits, p.elements, sums=p.row_sums > 0, turns=values, most=p.transposer)
        self.turns = {name: Transposer(port.values, port.width, p.transposer) for name, port in turns.items()}
        self.compute = ComputeSequencer(p.core)
        self.store = StoreSequencer(p.address_bits, tuple(exact_log2(source.container) for source in p.sources))
        self.core = GemmCore(p.core)
        self.release = Release(p.address_bits, beat_layouts(p.core)["read_c"], len(p.sources))
        behind = {"adds": p.adds, "pool_words": p.pool_words, "table": p.table}
        self.finish = FinishChain(p.finish, **behind) if p.finish is not None else None  # type: ignore[arg-type]
        lanes = p.core.c_memory.lanes
        self.channels = ChannelMemory(p.channels, lanes, p.channel_lanes) if p.channels else None
        a = p.core.a
        sums = p.row_sums and isinstance(a, IntFormat)
        self.sums = RowSums(p.targets[0].values, a, p.row_sums, p.sum_width) if sums else None  # type: ignore[arg-type]
        self.residual = ResidualPort(p.sources[1].beat, RESIDUAL_DEPTH) if p.adds else None

    @property
    def lasting(self) -> dict[str, Block]:
        """See above."""
        return self._blocks("counters", "reads", "writes")

    @property
    def of_a_run(self) -> dict[str, Block]:
        """See above."""
        names = ("dispatch", "tokens", "load", "compute", "store", "core", "release")
        found = self._blocks(*names, "finish", "channels", "sums", "residual")
        return found | {f"turn_{name}": block for name, block in self.turns.items()}

    def _blocks(self, *names: str) -> dict[str, Block]:
        """Those of these names that there are."""
        found = {name: getattr(self, name) for name in names}
        return {name: block for name, block in found.items() if block is not None}

    @property
    def sequencers(self) -> dict[str, Block]:
        """The three sequencers, as they are called in `tokens.SEQUENCERS`."""
        return {"load": self.load, "compute": self.compute, "store": self.store}
