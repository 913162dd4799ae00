"""A scratchpad of banks that gives rows and columns alike."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory.geometry import Geometry
from tilewright.hdl.memory.request import request_members
from tilewright.hdl.memory.rotator import Rotator
from tilewright.hdl.memory.tailed_ram import ram
from tilewright.hdl.memory.wide import scratchpad_members
from tilewright.hdl.structure import Block, Repeat, data_register, pipeline, place


class BankAddress(Block):
    """The address of one bank in an access: which lane it serves, and in which panel that lane lies.

    ``index`` is the bank's number. Combinational. See `request_members` for the rest.
    """

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        members = request_members(geometry)
        if geometry.lane_bits:
            members["index"] = In(geometry.lane_bits)
        members["bank_address"] = Out(geometry.address_bits)
        super().__init__(f"bank_address_{geometry.lanes}x{geometry.address_bits}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        bits = self.geometry.lane_bits
        if bits == 0:
            m.d.comb += self.bank_address.eq(self.address)
            return m
        lane = Signal(bits)
        reach = Signal(bits + 1)
        m.d.comb += [
            lane.eq(self.index - self.rotate),
            reach.eq(lane + self.split),
            self.bank_address.eq(
                Mux(self.column, self.address + lane, Mux(reach[bits], self.next_panel, self.address))
            ),
        ]
        return m


class BankedScratchpad(Block):
    """``lanes`` banks; element *(i, j)* is in bank ``(i + j) mod lanes``, so rows and columns meet every bank once.

    Read latency ``2 + ceil(log2(lanes)/2)`` cycles, write latency ``max(1, ceil(log2(lanes)/2))``; one access of each
    a cycle.
    """

    def __init__(self, name: str, geometry: Geometry) -> None:
        self.geometry = geometry
        super().__init__(f"scratchpad_{name}", scratchpad_members(geometry))

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        g = self.geometry
        bank = ram(g.words, g.width, lanes=g.slots)
        banks = Repeat(f"banks_{g.lanes}_of_{bank.name}", bank, g.lanes, label="bank", chain={})
        m.submodules.banks = place(platform, banks)
        self._read(m, platform, banks)
        self._write(m, platform, banks)
        return m

    def _addresses(self, m: Module, platform: Any, access: str) -> Value:
        """Addresses of all banks for the ``read`` or ``write`` request, one cycle later."""
        g = self.geometry
        unit = BankAddress(g)
        shared = tuple(request_members(g))
        addresses = Repeat(f"{unit.name}_all", unit, g.lanes, label="bank", chain={}, shared=shared)
        m.submodules[f"{access}_addresses"] = place(platform, addresses)
        if g.lane_bits:
            m.d.comb += addresses.index.eq(Cat(Const(i, g.lane_bits) for i in range(g.lanes)))
        for port in shared:
            m.d.comb += getattr(addresses, port).eq(getattr(self, f"{access}_{port}"))
        return data_register(m, addresses.bank_address, f"{access}_bank_addresses")

    def _rotate(self, m: Module, platform: Any, name: str, word: Value, amount: Value, *, left: bool) -> Value:
        """``word`` (lanes of equal width) rotated by ``amount``, ``rotate_stages`` cycles later."""
        g = self.geometry
        if g.lane_bits == 0:
            return word
        rotator = Rotator(g.lanes, len(word) // g.lanes, left=left)
        m.submodules[name] = place(platform, rotator)
        m.d.comb += [rotator.d.eq(word), rotator.amount.eq(amount)]
        return rotator.q

    def _read(self, m: Module, platform: Any, banks: Repeat) -> None:
        g = self.geometry
        amount = pipeline(m, self.read_rotate, 2, "read_rotate") if g.lane_bits else Const(0)
        m.d.comb += [
            banks.read_address.eq(self._addresses(m, platform, "read")),
            banks.read_enable.eq(data_register(m, self.read, "read_enable").replicate(g.lanes)),
            self.read_data.eq(self._rotate(m, platform, "read_rotator", banks.read_data, amount, left=False)),
        ]

    def _write(self, m: Module, platform: Any, banks: Repeat) -> None:
        g = self.geometry
        amount = self.write_rotate if g.lane_bits else Const(0)
        enables = Signal(g.lanes)
        m.d.comb += enables.eq(self.write_lanes & self.write.replicate(g.lanes))
        waits = g.write_latency - g.rotate_stages
        turned = self._rotate(m, platform, "write_rotator", self.write_data, amount, left=True)
        enables = self._rotate(m, platform, "enable_rotator", enables, amount, left=True)
        enables = pipeline(m, enables, waits, "write_enables")
        slots = pipeline(m, self.write_slots, g.write_latency, "write_slots")
        addresses = self._addresses(m, platform, "write")
        m.d.comb += [
            banks.write_data.eq(pipeline(m, turned, waits, "write_word")),
            banks.write_address.eq(pipeline(m, addresses, g.write_latency - 1, "write_bank_addresses")),
            banks.write_enable.eq(Cat(slots & enables[bank].replicate(g.slots) for bank in range(g.lanes))),
        ]
