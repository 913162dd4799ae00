"""What all multiplexers of streams have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from amaranth.hdl import Cat, Module, Shape, ShapeLike, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Member, Out, connect, flipped

from tilewright.hdl.stream.beat import field_offset, payload_name
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.structure import Block, place


@dataclass(frozen=True)
class Arbitration:
    """What a choice is made from, and what becomes of it; all but ``taken`` and ``ends`` have one bit an input.

    Attributes:
        valid: inputs that offer something.
        chosen: one-hot or zero, within ``valid``; the choice.
        granted: the choice, or the input whose packet has begun.
        taken: what ``granted`` says moves in this cycle.
        ends: it is the last of its packet, or stands alone.
    """

    valid: Signal
    chosen: Signal
    granted: Signal
    taken: Signal
    ends: Signal


class Merge(Block):
    """``ways`` inputs ``i_0``, ``i_1``, ... share the output ``o``; a subclass chooses.

    A payload with a field ``last`` is a beat of a packet: once a packet has begun, the others wait for its end.
    Latency ``latency`` = 2 cycles, ``throughput`` = 1 payload a cycle. Every ``ready``, ``o.valid`` and ``o.payload``
    are registers.
    """

    latency = 2
    throughput = 1

    def __init__(self, kind: str, shape: ShapeLike, ways: int, others: Mapping[str, Member] | None = None) -> None:
        if ways < 2:
            raise ValueError(f"ways must be at least 2, got {ways}")
        self.shape, self.ways = shape, ways
        self.last_bit = field_offset(shape, "last")
        packets = "" if self.last_bit is None else f"_last{self.last_bit}"
        signature = stream.Signature(shape)
        inputs = {f"i_{way}": In(signature) for way in range(ways)}
        members = inputs | dict(others or {}) | {"o": Out(signature)}
        super().__init__(f"mux_{kind}_{ways}x{payload_name(shape)}{packets}", members)

    @property
    def inputs(self) -> list[Any]:
        """The input streams."""
        return [getattr(self, f"i_{way}") for way in range(self.ways)]

    def choose(self, m: Module, platform: Any, arbitration: Arbitration) -> None:
        """Drives ``arbitration.chosen``."""
        raise NotImplementedError

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        width = Shape.cast(self.shape).width
        buffers = [Buffer(self.shape) for _ in range(self.ways)]
        valid, chosen, granted = Signal(self.ways), Signal(self.ways), Signal(self.ways)
        word = Signal(width)
        full, free, taken, ends = Signal(), Signal(), Signal(), Signal()
        for way, (port, buffer) in enumerate(zip(self.inputs, buffers, strict=True)):
            m.submodules[f"input_{way}"] = place(platform, buffer)
            connect(m, flipped(port), buffer.i)
            m.d.comb += buffer.o.ready.eq(granted[way] & free)
        m.d.comb += [
            valid.eq(Cat(buffer.o.valid for buffer in buffers)),
            word.eq(
                reduce(or_, (Value.cast(b.o.payload) & granted[w].replicate(width) for w, b in enumerate(buffers)))
            ),
            free.eq(~full | self.o.ready),
            taken.eq(free & granted.any()),
            ends.eq(1 if self.last_bit is None else word[self.last_bit]),
            granted.eq(chosen),
        ]
        self.choose(m, platform, Arbitration(valid, chosen, granted, taken, ends))
        if self.last_bit is not None:
            inside, owner = Signal(), Signal(self.ways, reset_less=True)
            with m.If(taken):
                m.d.sync += [inside.eq(~ends), owner.eq(granted)]
            with m.If(inside):
                m.d.comb += granted.eq(owner & valid)
        stored = Signal(width, reset_less=True)
        with m.If(free):
            m.d.sync += [full.eq(granted.any()), stored.eq(word)]
        m.d.comb += [self.o.valid.eq(full), Value.cast(self.o.payload).eq(stored)]
        return m
