"""The last part of the way to streams of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Array, Const, Module
from amaranth.lib.wiring import connect, flipped

from tilewright.hdl.engine.order import STREAM_BITS
from tilewright.hdl.engine.packer import Packer
from tilewright.hdl.engine.port import ValuePort
from tilewright.hdl.structure import Block, place


def to_targets(
    m: Module, platform: Any, owner: Block, targets: Sequence[ValuePort], bus_bytes: int, pieces: Any
) -> None:
    """Packs ``pieces``, each to the beats of its target, a stream of ``owner``."""
    ready = []
    largest = max(target.bytes for target in targets)
    for number, target in enumerate(targets):
        packer = Packer(bus_bytes, target.values, target.width, target.container, largest)
        m.submodules[f"pack_{target.name}"] = place(platform, packer)
        m.d.comb += [
            packer.i.valid.eq(pieces.valid & (pieces.payload.stream == number)),
            packer.i.payload.eq(pieces.payload),
        ]
        connect(m, packer.o, flipped(getattr(owner, target.name)))
        ready.append(packer.i.ready)
    unknown = [Const(1)] * ((1 << STREAM_BITS) - len(ready))
    m.d.comb += pieces.ready.eq(Array([*ready, *unknown])[pieces.payload.stream])
