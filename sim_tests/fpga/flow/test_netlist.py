"""A bitstream taken apart, and netlists after place and route or synthesis, do what their Verilog does."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.fpga.boards.known import board
from tilewright.fpga.decompile.fabric import NotDecoded
from tilewright.fpga.decompile.icebox_database import installed
from tilewright.fpga.decompile.verilog import decompiled
from tilewright.fpga.flow.board_build import build as build_board
from tilewright.fpga.flow.netlist import netlist
from tilewright.generators.emit.emitter import Emitter
from tilewright.hdl.arith.targets.ecp5 import Ecp5Multiplier
from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.fpga.flow.tiny import ICE40, TEXT, TOP, tiny
from tilewright.sim_tests.harness import Build, Run, build, pack, unpack
from tilewright.sim_tests.harness.ports import StreamPort

pytestmark = pytest.mark.skipif(not installed(), reason="fpga-icestorm is not installed")

CYCLES = 20_000
BOARDS = ("icebreaker", "colorlight-i5", "tang-nano-9k")
_LADDER = """
module ladder (input clk, input x, output [3:0] y);
  tiny source (.clk(clk), .rx(x), .tx(y[0]));
  icebreaker bits (.clk(clk), .rx(x), .tx(y[1]));
  colorlight_i5 routed (.clk(clk), .rx(x), .tx(y[2]));
  tang_nano_9k synthesised (.clk(clk), .rx(x), .tx(y[3]));
endmodule
"""


def with_ecp5_cell() -> str:
    """The design with the multiplier of that family, whose operand registers take the place of the one behind it."""
    emitter = Emitter("cell")
    times = emitter.emit(Ecp5Multiplier(IntFormat(8), IntFormat(8), 0)).module
    pins = ".clk(clk), .a(a), .b(b), .p(product)"
    head = "module times (input wire clk, input wire [7:0] a, input wire [7:0] b, output wire [15:0] product);"
    _, _, rest = TEXT.partition("endmodule\n")
    return "".join([*(m.text for m in emitter.modules()), f"{head}\n  {times} unit ({pins});\nendmodule\n", rest])


def taken_apart(name: str) -> dict[str, str]:
    """The module of a board's build, named after the board."""
    built = build_board(
        board(name), tiny({"ice40": ICE40, "ecp5": with_ecp5_cell(), "gowin": TEXT}[board(name).part.family])
    )
    module = name.replace("-", "_")
    found = netlist(built.folder, board(name), TOP)
    text = found.pop(f"{TOP}.v").replace(f"module {TOP} ", f"module {module} ")
    return {f"{module}.v": text, **found}


def ladder() -> Build:
    sources = {"tiny.v": TEXT, "ladder.v": _LADDER}
    for name in BOARDS:
        sources |= taken_apart(name)
    streams = [StreamPort("x", "in", (("x", 1),), None, None), StreamPort("y", "out", (("y", 4),), None, None)]
    return build(sources, "ladder", streams, reset=None)


@pytest.mark.parametrize("seed", [1, 2])
def test_all_do_the_same(seed: int) -> None:
    bits = np.random.default_rng(seed).integers(0, 2, CYCLES)
    result = Run(ladder()).send("x", pack(bits, 1)).expect("y", CYCLES).execute()
    found = unpack(result["y"].beats, 1, 4, signed=False)
    assert 0.4 < found[:, 0].mean() < 0.6
    for column, name in enumerate(BOARDS, 1):
        assert np.array_equal(found[:, column], found[:, 0]), name


def test_a_pad_without_a_port() -> None:
    chosen = board("icebreaker")
    built = build_board(chosen, tiny())
    with pytest.raises(NotDecoded, match=r"^pad \d of tile \d+, \d+ is used, but no port is there$"):
        decompiled(built.folder / f"{TOP}.asc", chosen.part.package, {"clk": chosen.pins["clk"]}, TOP)
