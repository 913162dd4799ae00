"""Block RAMs of bytes, with ports of one to four bytes or of parts of one, as Verilog.

Both ECP5 and Gowin address bits: a port of 1, 2, 4, 8 (9), 16 (18), 32 (36) bits leaves the lowest 0, 1, 2, 3, 4, 5 of
14 address bits; where it has several bytes, the lowest of these enable their writing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tilewright.fpga.routed.netlist import NotTranslated

BYTES = 2048
_ADDRESS_BITS = 14


@dataclass(frozen=True)
class Ram:
    """A memory of `BYTES` bytes of ``byte`` bits, 8 or 9.

    Attributes:
        name: of its register; others begin with it.
        byte: bits of a byte.
        values: at the start, by place, where they are not 0.
    """

    name: str
    byte: int
    values: Mapping[int, int]

    def lines(self) -> Iterator[str]:
        """The memory."""
        told = " ".join(f"{self.name}[{at}] = {self.byte}'d{value};" for at, value in sorted(self.values.items()))
        index = f"{self.name}_i"
        yield f"reg [{self.byte - 1}:0] {self.name} [0:{BYTES - 1}]; integer {index};"
        yield f"initial begin for ({index} = 0; {index} < {BYTES}; {index} = {index} + 1) "
        yield f"  {self.name}[{index}] = {self.byte}'d0; {told} end"


@dataclass(frozen=True)
class Port:
    """A port of a `Ram`; texts are expressions.

    Attributes:
        name: of its wires and register ``<name>_q``: what was read.
        clock, enable, write: the last one is 0 for a port that only reads.
        address: of 14 bits.
        width: bits of its words.
        data: what is written, of ``width`` bits or more.
        meanwhile: what a port that writes reads: the ``old`` word, the ``new`` one, or ``nothing``.
    """

    name: str
    clock: str
    enable: str
    write: str
    address: str
    width: int
    data: str
    meanwhile: str = "old"

    def lines(self, ram: Ram) -> Iterator[str]:
        """The port."""
        byte, width = ram.byte, self.width
        many, rest = divmod(width, byte)
        at, data, read = (f"{self.name}_{part}" for part in ("at", "d", "q"))
        yield f"wire [{_ADDRESS_BITS - 1}:0] {at} = {self.address}; wire [{width - 1}:0] {data} = {self.data};"
        yield f"reg [{width - 1}:0] {read} = {width}'d0;"
        if many in (1, 2, 4) and not rest:
            low = many.bit_length() + 2
            places = [f"{at}[13:{low}]"] if many == 1 else [f"{{{at}[13:{low}], {low - 3}'d{n}}}" for n in range(many)]
            word = ", ".join(f"{ram.name}[{place}]" for place in reversed(places))
            writes = [
                f"if ({f'{at}[{n}]' if many > 1 else 1}) {ram.name}[{place}] <= {data}[{byte * n} +: {byte}];"
                for n, place in enumerate(places)
            ]
        elif width in (1, 2, 4):
            low = width.bit_length() - 1
            place = f"{{{at}[2:{low}], {low}'d0}}" if low else f"{at}[2:0]"
            word = f"{ram.name}[{at}[13:3]][{place} +: {width}]"
            writes = [f"{word} <= {data};"]
        else:
            raise NotTranslated(f"{self.name} is a port of {width} bits")
        yield f"always @(posedge {self.clock}) if ({self.enable}) begin"
        yield from (f"  if ({self.write}) begin {write} end" for write in writes if self.write != "1'b0")
        reads = f"{read} <= {{{word}}};"
        if self.meanwhile == "old":
            yield f"  {reads}"
        elif self.meanwhile == "new":
            yield f"  if ({self.write}) {read} <= {data}; else {reads}"
        else:
            yield f"  if (!({self.write})) {reads}"
        yield "end"
