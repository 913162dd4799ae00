"""AXI4-Stream ports of a design with TKEEP and TLAST, and what the compiled driver is told about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tilewright.sim_tests.harness.errors import InterfaceError
from tilewright.sim_tests.harness.ports import StreamPort

#: Streams between which the driver plays a DMA, in its count.
ROLES = ("s_axis_program", "s_axis_load", "m_axis_store")


def axis_port(name: str, *, data_bits: int) -> StreamPort:
    """The stream ``name``, with ``<name>_tdata``, ``_tkeep``, ``_tlast``, ``_tvalid``, ``_tready``.

    ``s_axis_*`` go into the design, ``m_axis_*`` come out of it.
    """
    if data_bits % 8 or not 8 <= data_bits <= 512:
        raise InterfaceError(f"data_bits must be a multiple of 8 up to 512, got {data_bits}; nearest is 32")
    signals = (("tdata", data_bits), ("tkeep", data_bits // 8), ("tlast", 1))
    direction: Literal["in", "out"] = "in" if name.startswith("s_") else "out"
    ports = tuple((f"{name}_{signal}", width) for signal, width in signals)
    return StreamPort(name, direction, ports, f"{name}_tvalid", f"{name}_tready")


def descriptions(streams: Sequence[StreamPort]) -> list[str]:
    """Lines that tell the driver which of ``streams`` its DMA has to serve."""
    return [
        f"stream {ROLES.index(stream.name)} {index} {stream.signals[0][1] // 8} {stream.name}"
        for index, stream in enumerate(streams)
        if stream.name in ROLES
    ]
