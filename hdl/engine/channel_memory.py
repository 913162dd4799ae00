"""Multipliers and shifts of output channels."""

from __future__ import annotations

from enum import Enum
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.memory import Ram
from tilewright.hdl.numeric.requantise import LARGEST_SHIFT, MULTIPLIER_BITS
from tilewright.hdl.stream import beat_layout
from tilewright.hdl.structure import Block, named, place
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, Status

CONTAINER = data.StructLayout(
    {"multiplier": unsigned(MULTIPLIER_BITS), "unused": 1, "shift": unsigned(LARGEST_SHIFT.bit_length()), "rest": 26}
)
"""The parameters of a channel as they lie in memory: 8 bytes."""

CHANNEL = data.StructLayout({"multiplier": unsigned(MULTIPLIER_BITS), "shift": unsigned(LARGEST_SHIFT.bit_length())})
"""The same as they are kept."""


class State(Enum):
    """What the memory is doing. DROP: a load that is too long takes the rest of its beats."""

    IDLE = 0
    RUN = 1
    DROP = 2
    ANSWER = 3


class ChannelMemory(Block):
    """Holds the parameters of ``channels`` output channels, ``lanes`` of them a word; read a word a cycle.

    A load is one of a matrix of one row: ``command.cols`` channels from word ``command.base`` on, in beats of
    ``load_lanes`` channels that begin a word at lane 0; one beat a cycle, 1 cycle from the command to the first. The
    answer comes 1 cycle after the last beat, when all is written: EMPTY for no channels, and no beat is expected;
    OUT_OF_RANGE when the memory ends before the channels do, LENGTH when ``last`` comes too early or too late: what
    could be written has been. ``rows`` is not looked at. Nothing is known of who reads: the order of loads and reads is
    the program's.

    Latency of reads: ``read_latency`` = 1 cycle from ``read`` to ``read_data``, which holds otherwise.

    Parameters
    ----------
    channels: int
        Channels that fit, at least 1; rounded up to whole words.
    lanes: int
        Channels of a word, those of a beat of results.
    load_lanes: int
        Channels of a beat that is loaded; divides ``lanes``.

    Members
    -------
    command: TRANSFER; beats: beats of CONTAINER; answer: ANSWER
    read: In(1); read_address: In; read_data: Out, CHANNEL of each lane
    """

    read_latency = 1

    def __init__(self, channels: int, lanes: int, load_lanes: int = 1) -> None:
        for field, value in (("channels", channels), ("lanes", lanes), ("load_lanes", load_lanes)):
            if value < 1:
                raise ValueError(f"{field} must be at least 1, got {value}")
        if lanes % load_lanes:
            nearest = max(each for each in range(1, min(load_lanes, lanes) + 1) if lanes % each == 0)
            raise ValueError(
                f"load_lanes must divide {lanes} lanes, got {load_lanes}; nearest legal value is {nearest}"
            )
        self.lanes, self.load_lanes, self.words = lanes, load_lanes, -(-channels // lanes)
        members = {
            "command": In(stream.Signature(TRANSFER)),
            "beats": In(stream.Signature(beat_layout(load_lanes, CONTAINER.size))),
            "answer": Out(stream.Signature(ANSWER)),
            "read": In(1),
            "read_address": In(unsigned(max(1, ceil_log2(self.words)))),
            "read_data": Out(unsigned(lanes * CHANNEL.size)),
        }
        super().__init__(f"channel_memory_{self.words}x{lanes}_by_{load_lanes}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        parts, beat = self.lanes // self.load_lanes, self.beats.payload
        ram = Ram(self.words, self.load_lanes * CHANNEL.size, lanes=parts)
        m.submodules.ram = place(platform, ram)
        state, status, tag = Signal(State), Signal(Status), Signal(8, reset_less=True)
        left, word, part = Signal(16, reset_less=True), Signal(16, reset_less=True), Signal(range(parts))
        taken = named(m, (state == State.RUN) & self.beats.valid, "taken")
        final = named(m, left <= self.load_lanes, "final")
        inside = named(m, word < self.words, "inside")
        kept = []
        for lane in range(self.load_lanes):
            channel = data.View(CONTAINER, beat.data[lane * CONTAINER.size : (lane + 1) * CONTAINER.size])
            kept += [channel.multiplier, channel.shift]
        m.d.comb += [
            self.command.ready.eq(state == State.IDLE),
            self.beats.ready.eq((state == State.RUN) | (state == State.DROP)),
            self.answer.valid.eq(state == State.ANSWER),
            self.answer.payload.tag.eq(tag),
            self.answer.payload.status.eq(status),
            ram.write_enable.eq(Cat(taken & inside & (part == each) for each in range(parts))),
            ram.write_address.eq(word),
            ram.write_data.eq(Cat(*kept).replicate(parts)),
            ram.read_enable.eq(self.read),
            ram.read_address.eq(self.read_address),
            self.read_data.eq(ram.read_data),
        ]
        command = self.command.payload
        with m.Switch(state):
            with m.Case(State.IDLE), m.If(self.command.valid):
                m.d.sync += [tag.eq(command.tag), left.eq(command.cols), word.eq(command.base), part.eq(0)]
                m.d.sync += [state.eq(State.RUN), status.eq(Status.OK)]
                with m.If(command.cols == 0):
                    m.d.sync += [state.eq(State.ANSWER), status.eq(Status.EMPTY)]
            with m.Case(State.RUN), m.If(self.beats.valid):
                m.d.sync += [left.eq(left - self.load_lanes), part.eq(Mux(part == parts - 1, 0, part + 1))]
                with m.If(part == parts - 1):
                    m.d.sync += word.eq(word + 1)
                with m.If(final | beat.last):
                    m.d.sync += state.eq(Mux(beat.last, State.ANSWER.value, State.DROP.value))
                with m.If(~inside):
                    m.d.sync += status.eq(Status.OUT_OF_RANGE)
                with m.Elif((final != beat.last) & (status == Status.OK)):
                    m.d.sync += status.eq(Status.LENGTH)
            with m.Case(State.DROP), m.If(self.beats.valid & beat.last):
                m.d.sync += state.eq(State.ANSWER)
            with m.Case(State.ANSWER), m.If(self.answer.ready):
                m.d.sync += state.eq(State.IDLE)
        return m
