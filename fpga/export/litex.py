"""For LiteX: a module whose streams, or buses, are LiteX's own, around the Verilog as an Instance."""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from tilewright.fpga.export.buses import buses
from tilewright.fpga.export.product import Port, Product
from tilewright.generators.config.engine import EngineConfig

_TEXT = '''\
"""LiteX module around {top}, whose Verilog lies beside this file.

Made by: {command}
"""

from pathlib import Path

from litex.gen import LiteXModule
from litex.soc.interconnect import {imports}
from migen import ClockSignal, Instance, ResetSignal{signal}


class {name}(LiteXModule):
    """{words}.

    In the clock domain sys. ``platform``, if it is given, gets the Verilog as a source.
    """

    def __init__(self, platform=None):
{members}
        self.specials += Instance(
            "{top}",
{pins}
        )
        if platform is not None:
            platform.add_source(str(Path(__file__).with_name("{source}")))
'''
_ENGINE = "Registers are ``s_axi``, data ports {ports}, and ``irq`` is high until it is cleared"
_CORE = "An endpoint for each stream"
_REGISTERS = 32
"""Bits of an address of LiteX's buses; the registers look at the low ones."""


def litex(product: Product) -> dict[str, str]:
    """File name to text."""
    text = _engine(product) if product.is_engine else _core(product)
    return {product.source: product.files[product.source], f"{product.top}_litex.py": text}


def class_name(product: Product) -> str:
    """Name of the class of a module: its own, as classes are called; never a word of Python's, as ``None`` is."""
    name = "".join(word.capitalize() for word in product.top.split("_")) or "_"
    return f"_{name}" if keyword.iskeyword(name) or not name.isidentifier() else name


def _engine(product: Product) -> str:
    config = product.config
    assert isinstance(config, EngineConfig)
    ports = [name for name in buses(product.ports) if name != "s_axi"]
    made = {"s_axi": f"axi.AXILiteInterface(data_width=32, address_width={_REGISTERS})"}
    kind = f"axi.AXIInterface(data_width={config.bus_bits}, address_width={config.address_bits}, id_width=1)"
    streams = f"axi.AXIStreamInterface(data_width={config.bus_bits})"
    made |= dict.fromkeys(ports, streams if config.streams else kind) | {"irq": "Signal()"}
    pins = {"aclk": "ClockSignal()", "aresetn": "~ResetSignal()", "irq": "self.irq"}
    pins |= {port.name: _of_bus(port, ports) for port in product.ports if port.name not in pins}
    words = _ENGINE.format(ports=", ".join(f"``{name}``" for name in ports))
    return _module(product, words, made, pins, imports="axi", signal=", Signal")


def _of_bus(port: Port, ports: list[str]) -> str:
    """What a pin of a bus is connected with."""
    bus = next(name for name in sorted(("s_axi", *ports), key=len, reverse=True) if port.name.startswith(f"{name}_"))
    rest = port.name.removeprefix(f"{bus}_")
    if bus.startswith(("s_axis", "m_axis")):
        return f"self.{bus}.{rest.removeprefix('t')}"
    channel = next(name for name in ("aw", "ar", "w", "r", "b") if rest.startswith(name))
    low = f"[:{port.width}]" if (bus, rest) in (("s_axi", "awaddr"), ("s_axi", "araddr")) else ""
    return f"self.{bus}.{channel}.{rest.removeprefix(channel)}{low}"


def _core(product: Product) -> str:
    made, pins = {}, {"clk": "ClockSignal()", "rst": "ResetSignal()"}
    for told in product.manifest["streams"]:
        name, widths = told["name"], told["widths"]
        payload = [(part, widths[part]) for part in ("data", "keep") if part in widths]
        side = "sink" if told["direction"] == "in" else "source"
        made[name] = f"stream.Endpoint({payload})  # {side}: {told['meaning']}".replace("'", '"')
        pins |= {port: f"self.{name}.{part}" for part, port in told["signals"].items()}
    return _module(product, _CORE, made, pins, imports="stream", signal="")


def _module(
    product: Product, words: str, made: dict[str, str], pins: dict[str, str], *, imports: str, signal: str
) -> str:
    def lines() -> Iterator[str]:
        for port in product.ports:
            yield f"            {'i' if port.direction == 'input' else 'o'}_{port.name}={pins[port.name]},"

    return _TEXT.format(
        top=product.top,
        name=class_name(product),
        command=product.command,
        source=product.source,
        words=words,
        imports=imports,
        signal=signal,
        members="\n".join(f"        self.{name} = {value}" for name, value in made.items()),
        pins="\n".join(lines()),
    )
