"""The way of a tensor that is added to results."""

from __future__ import annotations

from enum import Enum
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.structure import Block, named, place
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, Status


class State(Enum):
    """What the port is doing."""

    IDLE = 0
    RUN = 1
    ANSWER = 2


class ResidualPort(Block):
    """Passes loaded matrices on, one after the other, and answers each when its last beat has been taken.

    It keeps up to ``depth`` beats (a power of two); what is loaded after it waits while there is no room. An empty
    matrix is answered with EMPTY. ``base`` and ``region`` are not looked at. Latency 1 cycle, a beat a cycle.

    Members
    -------
    command, i, answer: as those of a load port of the core; o: the beats
    """

    def __init__(self, beat: data.StructLayout, depth: int) -> None:
        self.beat, self.depth = beat, depth
        beats = stream.Signature(beat)
        members: dict[str, Any] = {"command": In(stream.Signature(TRANSFER)), "answer": Out(stream.Signature(ANSWER))}
        super().__init__(f"residual_port_{depth}", members | {"i": In(beats), "o": Out(beats)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.queue = place(platform, queue := Queue("residual", self.beat, self.depth))
        connect(m, flipped(self.i), queue.i)
        connect(m, queue.o, flipped(self.o))
        state, status, tag = Signal(State), Signal(Status), Signal(8, reset_less=True)
        ends = named(m, self.o.valid & self.o.ready & self.o.payload.last, "ends")
        ended = Signal(range(self.depth + 1))  # matrices whose end has been taken and not been answered
        answers = named(m, (state == State.RUN) & (ended != 0), "answers")
        m.d.sync += ended.eq(ended + ends - answers)
        command = self.command.payload
        m.d.comb += [
            self.command.ready.eq(state == State.IDLE),
            self.answer.valid.eq(state == State.ANSWER),
            self.answer.payload.tag.eq(tag),
            self.answer.payload.status.eq(status),
        ]
        with m.Switch(state):
            with m.Case(State.IDLE), m.If(self.command.valid):
                m.d.sync += [tag.eq(command.tag), status.eq(Status.OK), state.eq(State.RUN)]
                with m.If((command.rows == 0) | (command.cols == 0)):
                    m.d.sync += [status.eq(Status.EMPTY), state.eq(State.ANSWER)]
            with m.Case(State.RUN), m.If(answers):
                m.d.sync += state.eq(State.ANSWER)
            with m.Case(State.ANSWER), m.If(self.answer.ready):
                m.d.sync += state.eq(State.IDLE)
        return m
