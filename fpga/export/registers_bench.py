"""A small bench of an engine in plain Verilog: the registers that tell which engine it is."""

from __future__ import annotations

from tilewright.fpga.export.filled import filled
from tilewright.fpga.export.product import Port, Product

_OWN = {
    "aclk": "aclk",
    "aresetn": "aresetn",
    "s_axi_araddr": "araddr",
    "s_axi_arvalid": "arvalid",
    "s_axi_arready": "arready",
    "s_axi_rdata": "rdata",
    "s_axi_rvalid": "rvalid",
    "s_axi_rready": "rready",
}


def registers_bench(product: Product) -> str:
    """Text of ``tb_<module>.v``."""
    offsets = {register["name"]: register["offset"] for register in product.manifest["registers"]}
    width = next(port.width for port in product.ports if port.name == "s_axi_araddr")
    return filled(
        "registers_bench.v",
        top=product.top,
        address=str(width - 1),
        connections=",\n".join(f"    .{port.name}({_connection(port)})" for port in product.ports),
        comparisons="\n".join(
            f"    compare({width}'h{offsets[name]:03x}, 32'h{value:08x});  // {name}"
            for name, value in product.manifest["constants"].items()
        ),
    )


def _connection(port: Port) -> str:
    """What a port is connected with: nothing asks the others for anything."""
    if port.name in _OWN:
        return _OWN[port.name]
    return f"{port.width}'d0" if port.direction == "input" else ""
