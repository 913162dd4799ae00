"""Write responses to answers."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.axi.signatures import RESPONSE
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.structure import Block, named, place


def mark_layout(tag_bits: int) -> data.StructLayout:
    """A burst under way, or none, of what has ``tag``; with ``last``, its last one."""
    return data.StructLayout({"tag": unsigned(tag_bits), "last": unsigned(1), "none": unsigned(1)})


def write_answer_layout(tag_bits: int) -> data.StructLayout:
    """``resp``: the worst response, the highest number, of all bursts of what had ``tag``; 0 (OKAY) without bursts."""
    return data.StructLayout({"tag": unsigned(tag_bits), "resp": unsigned(2)})


class WriteAnswers(Block):
    """Takes one B for each mark that is not ``none``, in order; answers when it has had one with ``last``.

    Latency ``latency`` = 1 cycle, ``throughput`` = 1 mark a cycle. ``b.ready``, ``mark.ready`` and ``o`` depend on
    registers, and on the mark, only (``mark.ready`` on ``b.valid`` too).
    """

    latency = 1
    throughput = 1

    def __init__(self, tag_bits: int) -> None:
        self.tag_bits = tag_bits
        self.answer = write_answer_layout(tag_bits)
        members = {
            "mark": In(stream.Signature(mark_layout(tag_bits))),
            "b": In(stream.Signature(RESPONSE)),
            "o": Out(stream.Signature(self.answer)),
        }
        super().__init__(f"write_answers_{tag_bits}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.buffer = place(platform, buffer := Buffer(self.answer))
        connect(m, buffer.o, flipped(self.o))
        mark = self.mark.payload
        before = Signal(2)
        able = named(m, self.mark.valid & (buffer.i.ready | ~mark.last), "able")
        done = named(m, able & (self.b.valid | mark.none), "done")
        resp = named(m, Mux(~mark.none & (self.b.payload.resp > before), self.b.payload.resp, before), "resp")
        m.d.comb += [
            self.b.ready.eq(able & ~mark.none),
            self.mark.ready.eq((buffer.i.ready | ~mark.last) & (self.b.valid | mark.none)),
            buffer.i.valid.eq(done & mark.last),
            buffer.i.payload.tag.eq(mark.tag),
            buffer.i.payload.resp.eq(resp),
        ]
        with m.If(done):
            m.d.sync += before.eq(Mux(mark.last, 0, resp))
        return m
