"""The way from streams of values to words of the bus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import connect, flipped

from tilewright.hdl.engine.packer import Packer
from tilewright.hdl.engine.placing import Placing
from tilewright.hdl.engine.port import ValuePort
from tilewright.hdl.engine.unpack import Unpack
from tilewright.hdl.engine.write_cut import WriteCut
from tilewright.hdl.structure import Block, place


def unpack_sources(m: Module, platform: Any, owner: Block, sources: Sequence[ValuePort], cutter: WriteCut) -> None:
    """Gives ``cutter`` the bytes of ``sources``, which are streams of ``owner``."""
    for number, source in enumerate(sources):
        m.submodules[f"unpack_{source.name}"] = place(platform, unpack := Unpack(cutter.bus_bytes, source))
        connect(m, flipped(getattr(owner, source.name)), unpack.i)
        connect(m, unpack.o, cutter.inputs[number])


def words_of_cuts(m: Module, platform: Any, bus_bytes: int) -> tuple[Any, Any]:
    """Streams of cuts that go in, and of words with the bytes that are kept, which come out 2 cycles later."""
    m.submodules.placing = place(platform, placing := Placing(bus_bytes, [bus_bytes]))
    m.submodules.packer = place(platform, packer := Packer(bus_bytes, bus_bytes, 8, 1, bus_bytes))
    connect(m, placing.o, packer.i)
    return placing.i, packer.o
