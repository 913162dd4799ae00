"""The Verilog of a core on a board."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.fpga.tops.beat_limit import check_beats
from tilewright.fpga.tops.identity import identity
from tilewright.fpga.tops.linked_core import LinkedCore
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.elaborate import core_parameters, modules
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.emit.files import core_verilog
from tilewright.hdl.systolic.core import GemmCore
from tilewright.hdl.systolic.pinout import Pinout

_TOP = """\
// The wires of a board: its oscillator, and a UART. All is in reset for 255 cycles, from the second one on.
module {top} (
  input  wire clk,
  input  wire rx,
  output wire tx
);
  reg [7:0] awake = 8'd0;
  reg rst = 1'b0;
  wire waking = ~&awake;

  always @(posedge clk) begin
    rst <= waking;
    if (waking) awake <= awake + 8'd1;
  end

  {linked} linked (
    .clk(clk),
    .rst(rst),
    .rx(rx),
    .tx(tx)
  );
endmodule
"""


@dataclass(frozen=True)
class BoardDesign:
    """File name to text, and the top module: ``clk``, ``rx``, ``tx``.

    The file of the core is the one that `generate` gives, byte for byte; the other holds link and top.
    """

    files: dict[str, str]
    top: str


def board_design(config: SystolicConfig, divisor: int) -> BoardDesign:
    """A core behind a UART of ``divisor`` cycles a bit. Raises ConfigError where its beats are too wide for a link."""
    check_beats(config)
    linked = LinkedCore(Pinout(GemmCore(core_parameters(config))), identity(config), divisor)
    emitter = Emitter(config.module_name)
    emitter.emit(linked)
    known = {module.name for module in modules(config)}
    added = [module for module in emitter.modules() if module.name not in known]
    top = f"{config.module_name}_board"
    text = "\n".join([*(module.text for module in added), _TOP.format(top=top, linked=added[-1].name)])
    return BoardDesign({**core_verilog(config), f"{top}.v": text}, top)
