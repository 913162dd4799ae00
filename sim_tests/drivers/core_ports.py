"""The streams of a GEMM core as the harness wants them."""

from __future__ import annotations

from amaranth.lib.wiring import In

from tilewright.hdl.systolic.core import GemmCore
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.pinout import Pinout
from tilewright.sim_tests.harness.ports import StreamPort


def core_streams(parameters: CoreParameters) -> list[StreamPort]:
    """Ports of the core's outside."""
    pinout = Pinout(GemmCore(parameters))
    return [
        StreamPort(
            name,
            "in" if member.flow is In else "out",
            tuple((f"{name}_t{part}", width) for part, width in pinout.parts(name).items()),
            f"{name}_tvalid",
            f"{name}_tready",
        )
        for name, member in pinout.streams()
    ]
