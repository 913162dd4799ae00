"""Several streams to one, payload by payload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Cat, Module, ShapeLike
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.stream.beat import payload_name
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.structure import Block, place


class Join(Block):
    """Zips streams: one payload of each input makes one payload of ``o``, a structure of the fields of ``shapes``.

    Field ``x`` comes from the input ``i_x``. Latency ``latency`` = 1 cycle from the last input, ``throughput`` = 1
    payload a cycle. Each input may run up to 2 payloads ahead of the slowest. Every ``ready``, ``o.valid`` and
    ``o.payload`` depend on registers only.
    """

    latency = 1
    throughput = 1

    def __init__(self, shapes: Mapping[str, ShapeLike]) -> None:
        if len(shapes) < 2:
            raise ValueError(f"shapes must name at least 2 inputs, got {len(shapes)}")
        self.shapes = dict(shapes)
        self.layout = data.StructLayout(self.shapes)
        inputs = {f"i_{field}": In(stream.Signature(shape)) for field, shape in self.shapes.items()}
        name = "_".join(f"{field}{payload_name(shape)}" for field, shape in self.shapes.items())
        super().__init__(f"join_{name}", inputs | {"o": Out(stream.Signature(self.layout))})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        buffers = {field: Buffer(shape) for field, shape in self.shapes.items()}
        for field, buffer in buffers.items():
            m.submodules[field] = place(platform, buffer)
            connect(m, flipped(getattr(self, f"i_{field}")), buffer.i)
            m.d.comb += [
                self.o.payload[field].eq(buffer.o.payload),
                buffer.o.ready.eq(self.o.valid & self.o.ready),
            ]
        m.d.comb += self.o.valid.eq(Cat(buffer.o.valid for buffer in buffers.values()).all())
        return m
