"""A link over any wire that carries bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.link.cobs_decode import CobsDecode
from tilewright.hdl.link.cobs_encode import CobsEncode
from tilewright.hdl.link.executor import Executor
from tilewright.hdl.link.frame_in import FrameIn
from tilewright.hdl.link.frame_out import FrameOut
from tilewright.hdl.stream.deep_queue import DeepQueue
from tilewright.hdl.structure import Block, place

WAITING = 512
"""Bytes that may wait while a frame is carried out: as many as come while a reply of the same length is sent."""


class ByteLink(Block):
    """Frames in, a reply to each out, streams behind it: see `Executor`, whose parameters and ports it has.

    ``lost``: for a cycle, a byte was dropped before it came here. Bytes that come while ``WAITING`` = 512 wait are
    dropped here, and told as those are. ``i`` is always ready.
    """

    def __init__(self, inputs: Sequence[int], outputs: Sequence[int], identity: bytes, patience: int) -> None:
        self.executor = Executor(inputs, outputs, identity, patience)
        members: dict[str, Any] = {"i": In(stream.Signature(8)), "o": Out(stream.Signature(8)), "lost": In(1)}
        kept = self.executor.signature.members
        members |= {name: kept[name] for name in kept if name.startswith(("input_", "output_")) or name == "reset"}
        super().__init__(f"byte_link_{self.executor.name}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        executor, waiting = self.executor, DeepQueue("bytes", 8, WAITING)
        decode, frame_in, frame_out, encode = CobsDecode(), FrameIn(), FrameOut(), CobsEncode()
        m.submodules.waiting, m.submodules.decode = place(platform, waiting), place(platform, decode)
        m.submodules.frame_in, m.submodules.executor = place(platform, frame_in), place(platform, executor)
        m.submodules.frame_out, m.submodules.encode = place(platform, frame_out), place(platform, encode)
        m.d.comb += [
            self.i.ready.eq(1),
            waiting.i.valid.eq(self.i.valid),
            waiting.i.payload.eq(self.i.payload),
            executor.lost.eq(self.lost | (self.i.valid & ~waiting.i.ready)),
            self.reset.eq(executor.reset),
        ]
        connect(m, waiting.o, decode.i)
        connect(m, decode.o, frame_in.i)
        connect(m, frame_in.frame, executor.frame)
        connect(m, frame_in.payload, executor.payload)
        connect(m, executor.reply, frame_out.frame)
        connect(m, executor.answer, frame_out.payload)
        connect(m, frame_out.o, encode.i)
        connect(m, encode.o, flipped(self.o))
        for name in self.signature.members:
            if name.startswith("input_"):
                connect(m, getattr(executor, name), flipped(getattr(self, name)))
            elif name.startswith("output_"):
                connect(m, flipped(getattr(self, name)), getattr(executor, name))
        return m
