"""The designs that tests export: their output is made once, and shared with the tests of the output."""

from __future__ import annotations

from functools import cache

from amaranth.hdl import Shape
from amaranth.lib.wiring import In

from tilewright.fpga.export.product import Product
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit.engine import constants, engine_parameters
from tilewright.generators.emit.engine_manifest import engine_manifest
from tilewright.generators.emit.engine_top import engine_top
from tilewright.generators.emit.files import generate
from tilewright.generators.emit.module import Port, VerilogModule, head
from tilewright.hdl.engine.engine import Engine
from tilewright.hdl.engine.pins import EnginePins
from tilewright.sim_tests.generators.emit.engine_outputs import config, engine_files

ENGINE = "engine-4x4-int8-32bit"
CORE = {"rows": 2, "cols": 3, "a": "int4", "b": "uint12", "acc": "int20", "max_m": 8, "max_n": 8, "max_k": 8}
"""Values of widths that are no whole bytes."""


def engine() -> Product:
    """An engine, all of it."""
    return Product(config(ENGINE), engine_files(ENGINE))


@cache
def core() -> Product:
    """A small core."""
    settings = systolic_config(CORE)
    return Product(settings, generate(settings))


def described(settings: EngineConfig) -> Product:
    """The outside of an engine alone: its manifest, and Verilog of a top module around nothing."""
    name, outside = f"{settings.module_name}_pins", EnginePins(Engine(engine_parameters(settings), constants(settings)))
    ports = [Port("clk", "input", 1), Port("rst", "input", 1)]
    for port, member in outside.signature.members.items():
        direction = "input" if member.flow is In else "output"
        ports.append(Port(port, direction, Shape.cast(member.shape).width))
    pins = VerilogModule(name, tuple(ports), f"{head(name, ports)}endmodule\n")
    top = engine_top(settings.module_name, pins)
    files = {f"{settings.module_name}.v": f"{pins.text}\n{top.text}", f"{settings.module_name}.h": ""}
    return Product(settings, {**files, "manifest.json": engine_manifest(settings, [top], files)})
