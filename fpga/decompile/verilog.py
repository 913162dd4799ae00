"""A bitstream as Verilog."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tilewright.fpga.decompile.fabric import Fabric
from tilewright.fpga.decompile.hard_blocks import used_hard_blocks
from tilewright.fpga.decompile.logic_cells import logic_cells


def decompiled(asc: Path, package: str, ports: Mapping[str, str], module: str) -> str:
    """The module of a bitstream in text form, for an UltraPlus.

    Flip-flops and carries are written out; block RAMs, multipliers and single-port RAMs are the cells of Yosys' library
    for the iCE40, with the parameters that the bits tell.

    Args:
        asc: what iceunpack gives.
        package: of the part.
        ports: the pin of each port; all inputs have one bit.
        module: its name.

    Raises:
        NotDecoded: the bitstream sets something else.
    """
    fabric = Fabric(asc, package, ports)
    body = list(logic_cells(fabric))
    for block, place in used_hard_blocks(fabric):
        body += block(fabric, *place)
    heads = [f"input wire {port}" for port in sorted(fabric.inputs)] + [
        f"output wire {port}" for port in sorted(fabric.outputs)
    ]
    lines = [f"module {module} ({', '.join(heads)});"]
    lines += [f"wire n{net};" for net in range(fabric.count)]
    lines += [f"assign n{net} = {port};" for port, net in sorted(fabric.inputs.items())]
    lines += [f"assign {port} = n{net};" for port, net in sorted(fabric.outputs.items())]
    return "\n".join([*lines, *body, "endmodule"]) + "\n"
