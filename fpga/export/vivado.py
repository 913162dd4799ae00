"""For Vivado: Verilog, a script that packages it as an IP, a clock constraint, and a driver for PYNQ."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from tilewright.fpga.export.axis_core import axis_core, axis_name, axis_ports
from tilewright.fpga.export.buses import buses
from tilewright.fpga.export.filled import filled
from tilewright.fpga.export.product import Product
from tilewright.generators.config.engine import EngineConfig
from tilewright.hdl.numeric import FxFormat

_PACKAGE = "tilewright.fpga.export"
DRIVER = ("tilewright_pynq.py", "tilewright_program.py")
"""Modules of this folder that go with the IP: they need nothing else of this package."""
CLOCK_MHZ = 100
"""What the IP is synthesised for by itself: a question to Vivado, and no promise."""

_ACCESS = {"ro": "read-only", "rw": "read-write", "wo": "write-only", "w1c": "read-write"}
_XDC = """\
# The clock of {top} while it is synthesised by itself ({mhz} MHz); in a design it is that of the design.
create_clock -name aclk -period {period:g} [get_ports aclk]
"""


def vivado(product: Product) -> dict[str, str]:
    """File name to text."""
    top = product.top if product.is_engine else axis_name(product)
    ports = product.ports if product.is_engine else axis_ports(product)
    files = {product.source: product.files[product.source], f"{product.top}.h": product.files[f"{product.top}.h"]}
    if not product.is_engine:
        files[f"{top}.v"] = axis_core(product)
    sources = [name for name in files if name.endswith(".v")]
    files["package_ip.tcl"] = filled(
        "package_ip.tcl",
        top=top,
        sources=" ".join(sources),
        buses=" ".join(map(str.upper, buses(ports))),
        registers="".join(_register(told) for told in product.manifest.get("registers", ())),
        version=".".join(product.version.split(".")[:2]),
        title=f"Tilewright {'engine' if product.is_engine else 'core'} {product.top}",
        command=product.command,
    )
    files[f"{top}_ooc.xdc"] = _XDC.format(top=top, mhz=CLOCK_MHZ, period=1000 / CLOCK_MHZ)
    if has_driver(product):
        told = {name: value for name, value in product.manifest.items() if name != "files"}
        files[f"{product.top}.json"] = json.dumps(told, indent=2) + "\n"
        for name in DRIVER:
            text = (resources.files(_PACKAGE) / name).read_text(encoding="utf-8")
            files[name] = text.replace(f"from {_PACKAGE}.", "from ")
    return files


def has_driver(product: Product) -> bool:
    """Whether the driver for PYNQ can use it: an engine with memory ports, of integers, bf16 or fp16."""
    config = product.config
    usual = not isinstance(config.acc, FxFormat) and not any(
        str(each).startswith("fp8") for each in (config.a, config.b)
    )
    return isinstance(config, EngineConfig) and not config.streams and usual


def _register(told: dict[str, Any]) -> str:
    """A line of the script's list of registers."""
    access = _ACCESS[told["access"]]
    fields = " ".join(
        f"{field['name']} {field['low']} {field['width']} {{{field['meaning']}}}" for field in told["fields"]
    )
    return f"  {told['name']} 0x{told['offset']:03x} {access} {{{told['meaning']}}} {{{fields}}}\n"
