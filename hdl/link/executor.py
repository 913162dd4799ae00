"""Carries out what frames ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.link.frame import FRAME, HEAD, REPLY, Fault, Operation, Status
from tilewright.hdl.link.identity_bytes import IdentityBytes
from tilewright.hdl.link.ports import BeatPorts
from tilewright.hdl.structure import Block, at_most, data_register, named, place

RESET_CYCLES = 8


@dataclass(frozen=True)
class _Asked:
    """Whether a frame asks to write to, or to read from, a port that there is, or for one of the others."""

    write: Signal
    read: Signal
    identify: Signal
    reset: Signal


class Executor(Block):
    """Answers every frame, and lets it read and write the streams behind the link.

    A reply is never longer than its frame: a host that sends frames one after the other, and waits for no reply, is
    not faster than the replies are. READ therefore has as many bytes of payload, whatever they are, as it wants to
    have, and IDENTIFY likewise.

    A frame carries whole beats: what is left of one when the frame ends is forgotten. Where a port does not take a
    beat, or has none, for ``patience`` cycles, the frame ends there; a beat that its port has not taken holds up all
    frames that read or write, as there is one register for beats. All other frames are answered at once.

    Parameters
    ----------
    inputs, outputs: sequence of int
        Bits of the beats of each port, those that are written and those that are read. Ports are numbered from 0 on,
        each sort by itself; a beat has as many bytes as its bits need, low ones first.
    identity: bytes
        What the design tells of itself, 1 to 247 bytes; behind it come zeros.
    patience: int
        Cycles, at least 1.

    Members
    -------
    frame, payload: of `FrameIn`, the frame taken when it has been answered; reply, answer: of `FrameOut`
    lost: bytes were dropped on their way in; told with the next reply
    reset: everything behind the link is to be reset, for 8 cycles
    input_0, input_1, ...: streams to the design; output_0, ...: from it
    """

    def __init__(self, inputs: Sequence[int], outputs: Sequence[int], identity: bytes, patience: int) -> None:
        if patience < 1:
            raise ValueError(f"patience must be at least 1 cycle, got {patience}")
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.identity, self.patience = IdentityBytes(identity), patience
        members: dict[str, Any] = {
            "frame": In(stream.Signature(FRAME)),
            "payload": In(stream.Signature(8)),
            "reply": Out(stream.Signature(HEAD)),
            "answer": Out(stream.Signature(8)),
            "lost": In(1),
            "reset": Out(1),
        }
        members |= {f"input_{number}": Out(stream.Signature(width)) for number, width in enumerate(self.inputs)}
        members |= {f"output_{number}": In(stream.Signature(width)) for number, width in enumerate(self.outputs)}
        ports = "_".join(map(str, (*self.inputs, "to", *self.outputs)))
        super().__init__(f"executor_{ports}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        ports = self._ports(m, platform)
        m.submodules.identity = place(platform, self.identity)
        head = self.frame.payload.head
        asked = self._asked(m, head)
        status = Signal(8)
        lost = Signal()
        given, waited = Signal(8), Signal(range(self.patience + 1))
        count, last = Signal(8), Signal()  # bytes that are left of a reply's payload; it is one
        stalled = named(m, ~at_most(waited, self.patience - 1), "stalled")
        writing, reading = Signal(), Signal()
        m.d.comb += [
            ports.port.eq(head.detail),
            ports.reads.eq(reading),
            ports.i.valid.eq(writing & self.payload.valid),
            ports.i.payload.eq(self.payload.payload),
            ports.o.ready.eq(reading & self.answer.ready),
        ]
        self._head_of_reply(m, head, status, lost, count)
        with m.If(self.lost):
            m.d.sync += lost.eq(1)
        m.d.sync += waited.eq(0)
        with m.FSM(name="state"):
            with m.State("IDLE"):
                fault = self.frame.payload.fault
                m.d.sync += [status.eq(fault), count.eq(0), given.eq(0)]
                with m.If(self.frame.valid):
                    with m.If(fault != Fault.NONE.value):
                        m.next = "REPLY"
                    with m.Else():
                        m.next = "DECIDE"
            with m.State("DECIDE"):
                m.d.comb += [ports.restart.eq(1), self.identity.restart.eq(1)]
                self._decide(m, asked, head, status, count, last)
            with m.State("RESET"):
                m.d.comb += self.reset.eq(1)
                m.d.sync += waited.eq(waited + 1)
                with m.If(waited == min(RESET_CYCLES, self.patience)):
                    m.next = "DRAIN"
            with m.State("WRITE"):
                self._write(m, writing, ports, stalled, status, waited)
            with m.State("DRAIN"):
                m.d.comb += self.payload.ready.eq(1)
                with m.If(~self.payload.valid):
                    m.next = "REPLY"
            with m.State("REPLY"):
                m.d.comb += self.reply.valid.eq(1)
                with m.If(self.reply.ready):
                    m.d.sync += lost.eq(self.lost)
                    with m.If(count != 0):
                        m.next = "ANSWER"
                    with m.Else():
                        self._end(m)
            with m.State("ANSWER"):
                self._answer(m, asked, reading, ports, stalled, given, count, last, waited)
        return m

    def _head_of_reply(self, m: Module, head: Any, status: Signal, lost: Signal, count: Signal) -> None:
        m.d.comb += [
            self.reply.payload.sequence.eq(head.sequence),
            self.reply.payload.operation.eq(head.operation | REPLY),
            self.reply.payload.detail.eq(Mux(lost & (status == Status.DONE.value), Status.LOST.value, status)),
            self.reply.payload.length.eq(count),
        ]

    def _ports(self, m: Module, platform: Any) -> BeatPorts:
        """Places what makes beats of bytes and bytes of beats.

        A reset of what is behind the link forgets a beat that waits on its way there or back, too.
        """
        ports = BeatPorts(self.inputs, self.outputs)
        m.submodules.ports = place(platform, ports, reset=self.reset)
        for number in range(len(self.inputs)):
            connect(m, getattr(ports, f"to_{number}"), flipped(getattr(self, f"input_{number}")))
        for number in range(len(self.outputs)):
            connect(m, flipped(getattr(self, f"output_{number}")), getattr(ports, f"from_{number}"))
        return ports

    def _write(
        self, m: Module, writing: Signal, ports: BeatPorts, stalled: Signal, status: Signal, waited: Signal
    ) -> None:
        """The payload goes to its port."""
        moves = named(m, self.payload.valid & ports.i.ready, "writes")
        m.d.comb += [writing.eq(~stalled), self.payload.ready.eq(ports.i.ready & ~stalled)]
        m.d.sync += waited.eq(Mux(moves, 0, waited + 1))
        with m.If(stalled):
            m.d.sync += [status.eq(Status.STALLED.value), waited.eq(0)]
            m.next = "DRAIN"
        with m.Elif(~self.payload.valid):
            m.next = "REPLY"

    def _asked(self, m: Module, head: Any) -> _Asked:
        """What a frame asks for, a cycle after it has come."""
        operation, port = head.operation, head.detail
        return _Asked(
            *(
                data_register(m, value, f"asks_to_{name}")
                for name, value in (
                    ("write", (operation == Operation.WRITE.value) & (port < len(self.inputs))),
                    ("read", (operation == Operation.READ.value) & (port < len(self.outputs))),
                    ("identify", operation == Operation.IDENTIFY.value),
                    ("reset", operation == Operation.RESET.value),
                )
            )
        )

    @staticmethod
    def _decide(m: Module, asked: _Asked, head: Any, status: Signal, count: Signal, last: Signal) -> None:
        """What a frame without a fault asks for."""
        m.next = "DRAIN"
        with m.If(asked.write):
            m.next = "WRITE"
        with m.Elif(asked.reset):
            m.next = "RESET"
        with m.Elif(asked.read | asked.identify):
            m.d.sync += [count.eq(head.length), last.eq(head.length == 1)]
        with m.Else():
            m.d.sync += status.eq(Status.UNKNOWN.value)

    def _answer(
        self, m: Module, asked: _Asked, reading: Signal, ports: BeatPorts, stalled: Signal, given: Signal,
        count: Signal, last: Signal, waited: Signal,
    ) -> None:  # fmt: skip
        """The payload of a reply: ``count`` bytes are to go, ``given`` counts those of a port that have gone."""
        moves = named(m, self.answer.valid & self.answer.ready, "answers")
        ended = Signal(name="ended")
        with m.If(asked.identify):
            m.d.comb += [
                self.answer.valid.eq(1), self.answer.payload.eq(self.identity.told), self.identity.advance.eq(moves),
            ]  # fmt: skip
        with m.Elif(last):
            m.d.comb += [self.answer.valid.eq(1), self.answer.payload.eq(given)]
        with m.Elif(ended):
            m.d.comb += self.answer.valid.eq(1)
        with m.Else():
            with m.If(stalled):
                m.d.sync += ended.eq(1)
            m.d.comb += [
                reading.eq(~stalled), self.answer.valid.eq(ports.o.valid), self.answer.payload.eq(ports.o.payload),
            ]  # fmt: skip
            m.d.sync += waited.eq(waited + 1)
            with m.If(moves):
                m.d.sync += [given.eq(given + 1), waited.eq(0)]
        with m.If(moves):
            m.d.sync += [count.eq(count - 1), last.eq(count == 2)]
            with m.If(last):
                m.d.sync += ended.eq(0)
                self._end(m)

    def _end(self, m: Module) -> None:
        """The frame is dealt with."""
        m.d.comb += self.frame.ready.eq(1)
        m.next = "IDLE"
