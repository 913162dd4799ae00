"""The streams of a core as AXI4-Streams in the full sense: whole bytes, TKEEP for each byte, TLAST at the end.

A value lies in the bytes that it has in the memory of an engine: the next power of two that holds it, low bits first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tilewright.fpga.export.product import Port, Product
from tilewright.hdl.numeric import IntFormat, code_format, container_bytes, parse_format


@dataclass(frozen=True)
class AxiStream:
    """A stream of a core as AXI4-Stream.

    Attributes:
        name: of the core's stream.
        inward: whether it goes into the core.
        rows: whether it carries rows of a matrix; else records.
        lanes: values of a beat; a record is one.
        bits: of a value, as the core has it.
        container: bytes of a value, as the AXI4-Stream has it.
        signed: whether values are extended by their sign.
    """

    name: str
    inward: bool
    rows: bool
    lanes: int
    bits: int
    container: int
    signed: bool

    @property
    def bus(self) -> str:
        """What the names of its ports begin with."""
        return f"{'s' if self.inward else 'm'}_axis_{self.name}"

    @property
    def bytes(self) -> int:
        """Of a beat."""
        return self.lanes * self.container

    @property
    def has_keep(self) -> bool:
        """Whether it has TKEEP and TLAST: rows do, and records that go out, so that a DMA's transfer ends with them."""
        return self.rows or not self.inward

    def ports(self) -> list[Port]:
        """Its ports."""
        forward, backward = ("input", "output") if self.inward else ("output", "input")
        told = [Port(f"{self.bus}_tdata", forward, 8 * self.bytes)]
        if self.has_keep:
            told += [Port(f"{self.bus}_tkeep", forward, self.bytes), Port(f"{self.bus}_tlast", forward, 1)]
        return [*told, Port(f"{self.bus}_tvalid", forward, 1), Port(f"{self.bus}_tready", backward, 1)]


def axi_streams(product: Product) -> list[AxiStream]:
    """The streams of a core, in the order of its ports."""
    return [_stream(told) for told in product.manifest["streams"]]


def _stream(told: dict[str, Any]) -> AxiStream:
    name, inward, widths = told["name"], told["direction"] == "in", told["widths"]
    if told["carries"] != "beats":
        return AxiStream(name, inward, False, 1, widths["data"], widths["data"] // 8, False)
    fmt = parse_format(told["format"])
    signed = isinstance(fmt, IntFormat) and fmt.signed
    return AxiStream(name, inward, True, widths["keep"], code_format(fmt).width, container_bytes(fmt), signed)
