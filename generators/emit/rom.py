"""Tables of constants as Verilog case statements, which synthesis makes LUTs or block RAMs of."""

from __future__ import annotations

from tilewright.generators.emit.module import Port, head
from tilewright.generators.emit.regular import Emit, RegularText, write
from tilewright.hdl.arith.functions.rom import Rom


@write.register
def _rom(block: Rom, name: str, emit: Emit) -> RegularText:
    address, digits = block.address_bits, -(-block.width // 4)
    ports = (Port("address", "input", address), Port("word", "output", block.width))
    places = [f"{address}'d{place}" for place in range(len(block.words) - 1)] + ["default"]
    lines = [
        f"      {place}: word = {block.width}'h{word:0{digits}x};\n"
        for place, word in zip(places, block.words, strict=True)
    ]
    body = f"  always @*\n    case (address)\n{''.join(lines)}    endcase\n"
    return RegularText(ports, head(name, ports, ("word",)) + body + "endmodule\n")
