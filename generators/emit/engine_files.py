"""All files that the configuration of an engine becomes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.cells import MODELS, models
from tilewright.generators.emit.engine import engine_modules
from tilewright.generators.emit.engine_c_header import engine_c_header
from tilewright.generators.emit.engine_header import engine_header
from tilewright.generators.emit.engine_manifest import engine_manifest
from tilewright.generators.emit.ip_xact import ip_xact
from tilewright.generators.emit.module import VerilogModule
from tilewright.generators.emit.svd import svd
from tilewright.generators.emit.system_rdl import system_rdl

_README = """\
{name}

Made by: {command}
All files here belong to their user.

{table}

{run}

The documents of Tilewright tell how it is put into a system (integration.md), what instructions do
(engine.md) and all registers (registers.md).
"""


_RUN = """\
The engine reads a program, a list of 64-byte instructions, out of memory, and then the matrices, and
writes the results. To run one: write program_low, program_high and program_count, write 1 to
interrupt_enable, write 1 to control, wait for irq, write 1 to interrupt, read status."""
_RUN_OF_STREAMS = """\
The engine takes a program, a list of 64-byte instructions, as a packet on s_axis_program, a packet on
s_axis_load for each LOAD, and gives a packet on m_axis_store for each STORE. To run one: write
program_count, write 1 to interrupt_enable, write 1 to control, let your DMA send and receive the packets,
wait for irq, write 1 to interrupt, read status."""


def engine_verilog(config: EngineConfig) -> dict[str, str]:
    """File name to text of the Verilog alone, the same as in `generate_engine`."""
    return _verilog(config, engine_modules(config))


def engine_sources(config: EngineConfig) -> dict[str, str]:
    """The same, and the models of cells that it needs in a simulation."""
    written = engine_modules(config)
    return _verilog(config, written) | models(written)


def generate_engine(config: EngineConfig) -> dict[str, str]:
    """File name to text of everything that ``config`` becomes; the same bytes for the same configuration."""
    name = config.module_name
    written = engine_modules(config)
    files = {
        **_verilog(config, written),
        **models(written, MODELS),
        f"{name}.h": engine_c_header(config),
        f"{name}.rdl": system_rdl(config),
        f"{name}.svd": svd(config),
        "component.xml": ip_xact(config, written[-1]),
        "README.txt": _readme(config, list(models(written, MODELS))),
    }
    return {**files, "manifest.json": engine_manifest(config, written, files)}


def _verilog(config: EngineConfig, written: Sequence[VerilogModule]) -> dict[str, str]:
    body = "\n".join(module.text for module in written)
    return {f"{config.module_name}.v": f"{engine_header(config, written[-1])}\n{body}"}


def _readme(config: EngineConfig, cells: Sequence[str]) -> str:
    name = config.module_name
    files = [
        (f"{name}.v", "the engine, Verilog 2005; its head tells configuration, registers and ports"),
        (f"{name}.h", "registers, instructions and codes for C"),
        (f"{name}.rdl", "registers in SystemRDL 2.0"),
        (f"{name}.svd", "registers in CMSIS-SVD, for debuggers and header generators; base address 0"),
        ("component.xml", "IP-XACT (IEEE 1685-2009), for tools that list IP"),
        ("manifest.json", "all of it for programs"),
        *((cell, f"what the cell {PurePath(cell).stem} does, for simulators; not for synthesis") for cell in cells),
    ]
    run = _RUN_OF_STREAMS if config.streams else _RUN
    space = max(len(file) for file, _ in files)
    table = "\n".join(f"  {file:{space}}  {what}" for file, what in files)
    return _README.format(name=name, command=canonical_command(config), table=table, run=run)
