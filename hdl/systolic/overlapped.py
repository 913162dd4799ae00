"""The side of a core that users see where commands are in flight while matrices come and go."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib.wiring import connect, flipped

from tilewright.hdl.memory import Geometry
from tilewright.hdl.pe.window_operands import POINT
from tilewright.hdl.structure import named
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.c_access import ArrayAccess
from tilewright.hdl.systolic.decoder import Decoder
from tilewright.hdl.systolic.flight import Flight
from tilewright.hdl.systolic.load_port import LoadPort
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.read_port import ReadPort
from tilewright.hdl.systolic.records import completion_layout
from tilewright.hdl.systolic.transfers import connect_transfers
from tilewright.hdl.systolic.two_regions import TwoRegions


class Overlapped:
    """Decoder, table of commands, a port for each matrix, and a memory for each region of C.

    Attributes
    ----------
    flight: what walkers take commands from
    blocks: what is placed, by name
    """

    def __init__(self, p: CoreParameters) -> None:
        self._parameters, self._decoder = p, Decoder(p)
        self.flight = Flight(completion_layout(p), p.in_flight)
        self.blocks = {"decoder": self._decoder, "flight": self.flight}
        self._ports: dict[str, LoadPort | ReadPort] = {
            "load_a": LoadPort("a", p.a_memory, "row"),
            "load_b": LoadPort("b", p.b_memory, "column"),
            "load_c": LoadPort("c", p.c_memory, "row"),
            "read_c": ReadPort("c", p.c_memory),
        }
        self._c = TwoRegions()

    def connect_commands(self, m: Module, core: Any) -> None:
        """Commands of ``core`` by way of the decoder, and their completions."""
        decoder, flight = self._decoder, self.flight
        connect(m, flipped(core.command), decoder.command)
        connect(m, flight.completion, flipped(core.completion))
        m.d.comb += [
            flight.valid.eq(decoder.valid),
            flight.decoded.eq(decoder.decoded),
            flight.status.eq(decoder.status),
            decoder.take.eq(flight.take),
        ]

    def connect_loads(self, m: Module, core: Any, name: str, memory: Any) -> None:
        """``memory``, the scratchpad of A or B, is written by its load port alone."""
        port = self._ports[f"load_{name}"]
        m.d.comb += [memory.write.eq(port.write), port.grant.eq(1)]
        for signal in memory.signature.members:
            if signal.startswith("write_") and signal != "write_lanes":
                m.d.comb += getattr(memory, signal).eq(getattr(port, signal))
        if memory.geometry.banked:
            m.d.comb += memory.write_lanes.eq((1 << memory.geometry.lanes) - 1)

    def connect_c(self, m: Module, platform: Any, geometry: Geometry, array: ArrayAccess) -> tuple[Value, Value]:
        """See `ConnectC`."""
        return self._c.connect(m, platform, geometry, array)

    def connect_transfers(self, m: Module, platform: Any, core: Any, array: SystolicArray) -> None:
        """The streams of transfers, and who waits for whom."""
        waits = self._point(m, array) if self._parameters.has_point else Const(0)
        connect_transfers(m, platform, core, self._ports, self._c.regions, self._decoder, self.flight, waits)

    def _point(self, m: Module, array: SystolicArray) -> Value:
        """Holds the binary point of the commands in flight; one with another has to wait until there are none."""
        decoder = self._decoder
        point = Signal(POINT, name="point")
        idle = named(m, ~self.flight.busy.any(), "no_command_in_flight")
        with m.If(decoder.valid & idle):
            m.d.sync += point.eq(decoder.point)
        m.d.comb += array.point.eq(point)
        return named(m, ~idle & (decoder.point != point), "waits_for_its_point")
