"""The host of an engine by the AXI4-Lite model of cocotbext-axi; runs inside a simulator."""

from __future__ import annotations

from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

from tilewright.hdl.engine.register_map import BY_NAME


class Host:
    """An engine in reset with its clock, and what reads and writes its registers.

    ``reset_signals``: clock and reset, as the models of cocotbext-axi take them.
    """

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        Clock(dut.aclk, 10, unit="ns").start()
        dut.aresetn.value = 0
        self.reset_signals = (dut.aclk, dut.aresetn)
        bus = AxiLiteBus.from_prefix(dut, "s_axi")
        self.host = AxiLiteMaster(bus, *self.reset_signals, reset_active_level=False)

    async def reset(self) -> None:
        """Some cycles of it."""
        await ClockCycles(self.dut.aclk, 5)
        self.dut.aresetn.value = 1
        await ClockCycles(self.dut.aclk, 5)

    async def write(self, name: str, value: int) -> None:
        """Writes a register."""
        await with_timeout(self.host.write_dword(BY_NAME[name].offset, value), 100, "us")

    async def read(self, name: str) -> int:
        """Reads one."""
        return int(await with_timeout(self.host.read_dword(BY_NAME[name].offset), 100, "us"))
