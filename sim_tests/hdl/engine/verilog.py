"""The Verilog of a block by itself."""

from __future__ import annotations

from tilewright.generators.emit.emitter import Emitter
from tilewright.hdl.structure import Block
from tilewright.sim_tests.harness.lint import lint


def warnings(block: Block) -> list[str]:
    """What Verilator says against the Verilog of ``block`` and all that it is made of."""
    emitter = Emitter("t")
    emitter.emit(block)
    return lint({f"{module.name}.v": module.text for module in emitter.modules()}, emitter.module_name(block))
