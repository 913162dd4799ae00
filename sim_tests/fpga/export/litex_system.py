"""A LiteX system around an exported module, as Verilog: engines between Wishbone buses and a memory of LiteX's."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import axi, stream, wishbone
from migen import ClockDomain, Signal


def exported(path: Path) -> ModuleType:
    """The module in a file."""
    found = importlib.util.spec_from_file_location(path.stem, path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


class Alone(LiteXModule):  # type: ignore[misc] # LiteX has no type information
    """``inner`` in a clock domain, and nothing else."""

    def __init__(self, inner: Any) -> None:
        self.cd_sys = ClockDomain()
        self.inner = inner


def alone(inner: Any, folder: Path) -> None:
    """Writes ``top.v``: ``inner`` with all its endpoints, buses and signals as ports."""
    ios: set[Any] = set()
    for member in vars(inner).values():
        if isinstance(member, stream.Endpoint):
            ios |= set(member.flatten())
        elif isinstance(member, axi.AXILiteInterface | axi.AXIInterface):
            ios |= {signal for channel in ("aw", "w", "b", "ar", "r") for signal in getattr(member, channel).flatten()}
        elif isinstance(member, Signal):
            ios.add(member)
    _write(Alone(inner), ios, folder)


class WithMemory(LiteXModule):  # type: ignore[misc]
    """An engine with its registers on the Wishbone bus ``registers``, and a memory that the bus ``host`` shares."""

    def __init__(self, engine: Any, memory: list[int]) -> None:
        self.cd_sys = ClockDomain()
        self.engine = engine
        self.registers, self.host, port = (wishbone.Interface(adr_width=30) for _ in range(3))
        self.to_registers = axi.Wishbone2AXILite(self.registers, engine.s_axi)
        self.to_memory = axi.AXI2Wishbone(engine.m_axi, port)
        self.memory = wishbone.SRAM(4 * len(memory), init=memory)
        self.arbiter = wishbone.Arbiter([port, self.host], self.memory.bus)


def with_memory(engine: Any, memory: list[int], folder: Path) -> None:
    """Writes ``top.v``: an engine beside a memory of 32-bit words."""
    system = WithMemory(engine, memory)
    ios = {engine.irq}
    for name in ("registers", "host"):
        bus = getattr(system, name)
        for member in ("adr", "dat_w", "dat_r", "sel", "cyc", "stb", "ack", "we"):
            signal = getattr(bus, member)
            signal.name_override = f"{name}_{member}"
            ios.add(signal)
    engine.irq.name_override = "irq"
    _write(system, ios, folder)


def _write(system: Any, ios: set[Any], folder: Path) -> None:
    # A block for each signal: one that reads what it assigns without blocking never comes to rest in Icarus Verilog.
    ports = ios | {system.cd_sys.clk, system.cd_sys.rst}
    converted = convert(system, ports, name="top", regular_comb=False)
    files: Mapping[str, str] = converted.data_files
    for name, text in {**files, "top.v": converted.main_source}.items():
        (folder / name).write_text(text)
