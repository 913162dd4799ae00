"""A GEMM engine and its memory behind the two wires of a UART."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib.wiring import In, Out, connect

from tilewright.fpga.tops.linked_core import PATIENCE
from tilewright.hdl.axi.block_memory import BlockMemory
from tilewright.hdl.engine.engine import Engine
from tilewright.hdl.engine.parameters import EngineParameters
from tilewright.hdl.engine.register_map import ADDRESS_BITS
from tilewright.hdl.link import UartLink
from tilewright.hdl.link.access import MEMORY_ANSWER, MEMORY_REQUEST, REGISTER_ANSWER, REGISTER_REQUEST
from tilewright.hdl.link.memory_access import MemoryAccess
from tilewright.hdl.link.register_access import RegisterAccess
from tilewright.hdl.structure import Block, place

INPUTS = ("register_request", "memory_request", "written")
OUTPUTS = ("register_answer", "memory_answer", "read")
"""Ports of the link, in the order of their numbers."""


def port_bits(bus_bits: int) -> tuple[dict[str, int], dict[str, int]]:
    """Names and bits of the link's ports to an engine with a bus of ``bus_bits``, and of those from it."""
    inputs = (REGISTER_REQUEST.size, MEMORY_REQUEST.size, bus_bits)
    outputs = (REGISTER_ANSWER.size, MEMORY_ANSWER.size, bus_bits)
    return dict(zip(INPUTS, inputs, strict=True)), dict(zip(OUTPUTS, outputs, strict=True))


class LinkedEngine(Block):
    """An engine, its registers and a memory of block RAM as ports of a link: `RegisterAccess` and `MemoryAccess`.

    The memory lies at address 0 of the engine. A RESET over the link resets all but the contents of the memory.

    Parameters
    ----------
    parameters: EngineParameters
        Of an engine with one memory port.
    constants: mapping of str to int
        Registers that describe it.
    memory_bytes: int
        See `BlockMemory`.
    identity: bytes
        See `tilewright.fpga.tops.engine_identity.engine_identity`.
    divisor: int
        Cycles of a bit.
    """

    def __init__(
        self,
        parameters: EngineParameters,
        constants: Mapping[str, int],
        memory_bytes: int,
        identity: bytes,
        divisor: int,
    ) -> None:
        inputs, outputs = port_bits(parameters.bus_bits)
        self.engine = Engine(parameters, constants)
        self.memory = BlockMemory(memory_bytes, parameters.address_bits, parameters.bus_bits)
        self.registers = RegisterAccess(ADDRESS_BITS)
        self.accesses = MemoryAccess(memory_bytes, parameters.bus_bits)
        self.link = UartLink(tuple(inputs.values()), tuple(outputs.values()), identity, PATIENCE, divisor)
        super().__init__("linked", {"rx": In(1, init=1), "tx": Out(1, init=1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        link = self.link
        m.submodules.link = place(platform, link)
        for name in ("engine", "memory", "registers", "accesses"):
            m.submodules[name] = place(platform, getattr(self, name), reset=link.reset)
        m.d.comb += [link.rx.eq(self.rx), self.tx.eq(link.tx)]
        connect(m, self.registers.bus, self.engine.s_axi)
        connect(m, self.engine.m_axi, self.memory.bus)
        connect(m, self.accesses.access, self.memory.access)
        m.d.comb += self.accesses.found.eq(self.memory.found)
        ports = {
            "register_request": self.registers.request,
            "register_answer": self.registers.answer,
            "memory_request": self.accesses.request,
            "memory_answer": self.accesses.answer,
            "written": self.accesses.written,
            "read": self.accesses.read,
        }
        for number, name in enumerate(INPUTS):
            _pass(m, getattr(link, f"input_{number}"), ports[name])
        for number, name in enumerate(OUTPUTS):
            _pass(m, ports[name], getattr(link, f"output_{number}"))
        return m


def _pass(m: Module, source: Any, sink: Any) -> None:
    """Connects streams whose payloads have the same bits."""
    m.d.comb += [
        sink.valid.eq(source.valid),
        Value.cast(sink.payload).eq(source.payload),
        source.ready.eq(sink.ready),
    ]
