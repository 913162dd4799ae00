"""Everything between accumulators and memory, one behind the other."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import stream
from amaranth.lib.wiring import In, connect, flipped

from tilewright.hdl.engine.finish import Finish
from tilewright.hdl.engine.finish_parameters import FinishParameters
from tilewright.hdl.engine.max_pool import MaxPool
from tilewright.hdl.engine.records import FINISH_ORDER
from tilewright.hdl.engine.residual_add import ResidualAdd
from tilewright.hdl.engine.result_table import ResultTable
from tilewright.hdl.numeric import FxFormat, IntFormat
from tilewright.hdl.stream import Fork, beat_layout
from tilewright.hdl.structure import Block, place

_TABLE_PORTS = ("command", "beats", "answer")


class FinishChain(Block):
    """`Finish`, `ResultTable`, `ResidualAdd`, `MaxPool`, as far as they are built in; one order a packet for all.

    A beat a cycle; ``latency`` is the sum of theirs, for beats that are added at once and not pooled. An order goes to
    all blocks at once, each of which keeps that of its packet and one more: packets of fewer beats than half of the
    latency do not follow each other without a pause.

    Parameters
    ----------
    parameters: FinishParameters
        Those of `Finish`.
    adds: bool
        Whether there is a `ResidualAdd`, of integers only, with the rounding of `Finish`.
    pool_words: int
        Words of the line of a `MaxPool`; 0: there is none.
    table: bool
        Whether there is a `ResultTable`, of integers of at most 8 bits only.

    Members
    -------
    order, i, channel_*, sum_*: see `Finish`; residual: see `ResidualAdd`, with ``adds`` only; o: the last block's
    table_command, table_beats, table_answer: see `ResultTable`, with ``table`` only
    """

    throughput = 1

    def __init__(
        self, parameters: FinishParameters, *, adds: bool = False, pool_words: int = 0, table: bool = False
    ) -> None:
        out = parameters.result
        assert not isinstance(out, FxFormat)
        self.finish = Finish(parameters)
        self.stages: list[Finish | ResultTable | ResidualAdd | MaxPool] = [self.finish]
        name = f"chain_{parameters.name}"
        members = dict(self.finish.signature.members.items())
        if table:
            if not isinstance(out, IntFormat):
                raise ValueError(f"table is for integers, got results of {out}; nearest legal value is False")
            self.stages.append(looked_up := ResultTable(parameters.lanes, out))
            ports = looked_up.signature.members
            members |= {f"table_{port}": ports[port] for port in _TABLE_PORTS}
            name += "_table"
        if adds:
            if not isinstance(out, IntFormat):
                raise ValueError(f"adds is for integers, got results of {out}; nearest legal value is False")
            self.stages.append(ResidualAdd(parameters.lanes, out, parameters.rounding))
            members["residual"] = In(stream.Signature(beat_layout(parameters.lanes, out.width)))
            name += "_add"
        if pool_words:
            self.stages.append(MaxPool(parameters.lanes, out, pool_words))
            name += f"_pool{pool_words}"
        super().__init__(name, members)

    @property
    def latency(self) -> int:
        """Cycles from a beat of ``i`` to that of ``o``."""
        return sum(stage.latency for stage in self.stages)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        orders = [flipped(self.order)]
        if len(self.stages) > 1:
            m.submodules.orders = place(platform, fork := Fork(FINISH_ORDER, len(self.stages)))
            connect(m, flipped(self.order), fork.i)
            orders = fork.outputs
        beats: Any = flipped(self.i)
        for stage, order in zip(self.stages, orders, strict=True):
            m.submodules[type(stage).__name__.lower()] = place(platform, stage)
            connect(m, order, stage.order)
            connect(m, beats, stage.i)
            beats = stage.o
            if isinstance(stage, ResidualAdd):
                connect(m, flipped(self.residual), stage.residual)
            if isinstance(stage, ResultTable):
                connect(m, flipped(self.table_command), stage.command)
                connect(m, flipped(self.table_beats), stage.beats)
                connect(m, stage.answer, flipped(self.table_answer))
        connect(m, beats, flipped(self.o))
        for port, member in self.finish.signature.members.items():
            if not member.is_signature:
                inside, outside = getattr(self.finish, port), getattr(self, port)
                m.d.comb += inside.eq(outside) if member.flow is In else outside.eq(inside)
        return m
