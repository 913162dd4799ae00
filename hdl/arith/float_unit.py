"""What units of floating-point arithmetic have in common: ports, formats, latency."""

from __future__ import annotations

from amaranth.hdl import unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.float_round import Beyond
from tilewright.hdl.numeric import FloatFormat
from tilewright.hdl.structure import Block


class FloatUnit(Block):
    """A unit whose ``result`` is the code of ``out`` nearest to what is exact: IEEE 754, ties to even, subnormals kept.

    Latency: ``latency`` cycles, at least 0, in registers without reset that stand where they balance; one result a
    cycle. ``overflow`` is that of ``out``: "ieee" (infinity, NaN in a format without) or "saturate" (the largest finite
    number of its sign, for infinity too). Raises ValueError for a negative ``latency``.

    Members
    -------
    a, b and so on: codes of ``formats``, in this order; any formats
    result: code of ``out``
    """

    def __init__(
        self, kind: str, formats: tuple[FloatFormat, ...], out: FloatFormat, overflow: Beyond, latency: int
    ) -> None:
        check_latency(latency)
        self.formats, self.out, self.overflow, self.latency = formats, out, overflow, latency
        members = {port: In(unsigned(fmt.width)) for port, fmt in zip("abc", formats, strict=False)}
        saturating = "_sat" if overflow == "saturate" else ""
        name = f"{kind}_{'_'.join(map(str, formats))}_{out}{saturating}_l{latency}"
        super().__init__(name, members | {"result": Out(unsigned(out.width))})


def check_latency(latency: int) -> None:
    """Raises ValueError for a latency below 0."""
    if latency < 0:
        raise ValueError(f"latency must be at least 0, got {latency}; nearest legal value is 0")
