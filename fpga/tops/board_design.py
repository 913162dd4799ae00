"""The Verilog of a core or an engine on a board."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.fpga.tops.beat_limit import check_beats
from tilewright.fpga.tops.engine_on_board import linked_engine
from tilewright.fpga.tops.identity import identity
from tilewright.fpga.tops.linked_core import LinkedCore
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.elaborate import core_parameters, modules
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.emit.engine import engine_modules
from tilewright.generators.emit.engine_files import engine_verilog
from tilewright.generators.emit.files import core_verilog
from tilewright.hdl.structure import Block
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

    The file of the core or engine is the one that `generate` or `generate_engine` gives, byte for byte; the other holds
    link, top and, of an engine, memory.
    """

    files: dict[str, str]
    top: str


def board_design(config: SystolicConfig, divisor: int) -> BoardDesign:
    """A core, or an engine and its memory, behind a UART of ``divisor`` cycles a bit.

    Raises ConfigError where beats of the core are too wide for a link, or the engine has other ports than one to
    memory.
    """
    linked: Block
    if isinstance(config, EngineConfig):
        linked, files, made = linked_engine(config, divisor), engine_verilog(config), engine_modules(config)
    else:
        check_beats(config)
        linked = LinkedCore(Pinout(GemmCore(core_parameters(config))), identity(config), divisor)
        files, made = core_verilog(config), modules(config)
    emitter = Emitter(config.module_name)
    emitter.emit(linked)
    known = {module.name for module in made}
    added = [module for module in emitter.modules() if module.name not in known]
    top = f"{config.module_name}_board"
    text = "\n".join([*(module.text for module in added), _TOP.format(top=top, linked=added[-1].name)])
    return BoardDesign({**files, f"{top}.v": text}, top)
