"""Addresses of nested loops."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block


class AddressGenerator(Block):
    """Gives the addresses ``base + sum(index[d] * stride[d])`` of ``dims`` nested loops, dimension 0 innermost.

    A command (layout `command_layout`) holds ``base``, the iterations ``counts[d]``, 0..2**``count_width`` - 1, and
    the ``strides[d]``, signed; addresses are modulo 2**``width``. An output payload (`address_layout`) holds the
    address and ``ends``: bit ``d`` is set in the last iteration of loop ``d`` and of all loops inside it, so the
    highest bit ends the command. A command with a count of 0 gives no address.

    Latency ``latency`` = 2 cycles from command to first address, ``throughput`` = 1 address a cycle. Commands follow
    without a gap when each gives 2 addresses or more; one with fewer takes 2 cycles. ``command.ready``, ``o.valid``
    and ``o.payload`` depend on registers only.
    """

    latency = 2
    throughput = 1

    def __init__(self, dims: int, width: int, count_width: int) -> None:
        if not 1 <= dims <= 5:
            raise ValueError(f"dims must be 1..5 loops, got {dims}")
        for field, value in (("width", width), ("count_width", count_width)):
            if value < 1:
                raise ValueError(f"{field} must be at least 1 bit, got {value}")
        self.dims, self.width, self.count_width = dims, width, count_width
        self.command_layout = data.StructLayout(
            {
                "base": unsigned(width),
                "counts": data.ArrayLayout(unsigned(count_width), dims),
                "strides": data.ArrayLayout(signed(width), dims),
            }
        )
        self.address_layout = data.StructLayout({"address": unsigned(width), "ends": unsigned(dims)})
        members = {
            "command": In(stream.Signature(self.command_layout)),
            "o": Out(stream.Signature(self.address_layout)),
        }
        super().__init__(f"address_generator_{dims}x{width}_count{count_width}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        # The command that comes next waits here, so that the loops can start it in any cycle.
        waiting, following = Signal(), Signal(self.command_layout, reset_less=True)
        running, current = Signal(), Signal(self.command_layout, reset_less=True)
        step, start = Signal(), Signal()
        left = [Signal(self.count_width, name=f"left_{d}", reset_less=True) for d in range(self.dims)]
        origins = [Signal(self.width, name=f"origin_{d}", reset_less=True) for d in range(self.dims)]
        ends = self._ends(left)
        m.d.comb += [
            self.command.ready.eq(~waiting),
            self.o.valid.eq(running),
            self.o.payload.address.eq(origins[0]),
            self.o.payload.ends.eq(Cat(ends)),
            step.eq(running & self.o.ready),
            start.eq(waiting & (~running | (step & ends[-1]))),
        ]
        with m.If(step & ends[-1]):
            m.d.sync += running.eq(0)
        with m.If(start):
            m.d.sync += [running.eq(Cat(following.counts[d].any() for d in range(self.dims)).all())]
            m.d.sync += [waiting.eq(0), current.eq(following)]
            m.d.sync += [o.eq(following.base) for o in origins]
            m.d.sync += [n.eq(following.counts[d]) for d, n in enumerate(left)]
        with m.Elif(step):
            self._advance(m, current, left, origins, ends)
        with m.If(self.command.valid & ~waiting):
            m.d.sync += [waiting.eq(1), following.eq(self.command.payload)]
        return m

    @staticmethod
    def _ends(left: list[Signal]) -> list[Value]:
        """Whether loop d and all inside it are in their last iteration."""
        ends: list[Value] = []
        for n in left:
            ends.append((n == 1) & ends[-1] if ends else n == 1)
        return ends

    def _advance(self, m: Module, current: Any, left: list[Signal], origins: list[Signal], ends: list[Value]) -> None:
        """Loop d steps when all inside it end; these start again from where it then is."""
        # `origins[d]` is the address at the beginning of the present iteration of loop d.
        moved: Value = origins[-1] + current.strides[self.dims - 1]
        for d in reversed(range(self.dims)):
            inner = ends[d - 1] if d else 1
            if d < self.dims - 1:
                moved = Mux(ends[d], moved, origins[d] + current.strides[d])
            with m.If(inner):
                m.d.sync += [origins[d].eq(moved), left[d].eq(Mux(ends[d], current.counts[d], left[d] - 1))]
