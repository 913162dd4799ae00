"""Multipliers and shifts of output channels."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.engine.row_load import RowLoad
from tilewright.hdl.memory import Ram
from tilewright.hdl.numeric.requantise import LARGEST_SHIFT, MULTIPLIER_BITS
from tilewright.hdl.stream import beat_layout
from tilewright.hdl.structure import Block, named, place
from tilewright.hdl.systolic.records import ANSWER, TRANSFER

CONTAINER = data.StructLayout(
    {"multiplier": unsigned(MULTIPLIER_BITS), "unused": 1, "shift": unsigned(LARGEST_SHIFT.bit_length()), "rest": 26}
)
"""The parameters of a channel as they lie in memory: 8 bytes."""

CHANNEL = data.StructLayout({"multiplier": unsigned(MULTIPLIER_BITS), "shift": unsigned(LARGEST_SHIFT.bit_length())})
"""The same as they are kept."""


class ChannelMemory(Block):
    """Holds the parameters of ``channels`` output channels, ``lanes`` of them a word; read a word a cycle.

    A load (`RowLoad`) is one of ``command.cols`` channels from word ``command.base`` on, in beats of ``load_lanes``
    channels that begin a word at lane 0. Nothing is known of who reads: the order of loads and reads is the program's.

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
        parts = self.lanes // self.load_lanes
        ram = Ram(self.words, self.load_lanes * CHANNEL.size, lanes=parts)
        m.submodules.ram = place(platform, ram)
        load = RowLoad(m, self, self.load_lanes)
        word, part = Signal(16, name="word", reset_less=True), Signal(range(parts), name="part")
        inside = named(m, word < self.words, "inside")
        kept = []
        for lane in range(self.load_lanes):
            data_of_lane = self.beats.payload.data[lane * CONTAINER.size : (lane + 1) * CONTAINER.size]
            channel = data.View(CONTAINER, data_of_lane)
            kept += [channel.multiplier, channel.shift]
        load.connect(m)
        m.d.comb += [
            ram.write_enable.eq(Cat(load.taken & inside & (part == each) for each in range(parts))),
            ram.write_address.eq(word),
            ram.write_data.eq(Cat(*kept).replicate(parts)),
            ram.read_enable.eq(self.read),
            ram.read_address.eq(self.read_address),
            self.read_data.eq(ram.read_data),
        ]
        ends = named(m, part == parts - 1, "word_ends")
        begins = [word.eq(self.command.payload.base), part.eq(0)]
        load.run(m, inside, begins, [part.eq(Mux(ends, 0, part + 1)), word.eq(word + ends)])
        return m
