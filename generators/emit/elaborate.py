"""From a configuration to hardware."""

from __future__ import annotations

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.emit.module import VerilogModule
from tilewright.hdl.structure import Block
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.core import GemmCore
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.pinout import Pinout


def core_parameters(config: SystolicConfig) -> CoreParameters:
    """What the hardware needs of ``config``."""
    pads = config.scratchpads
    return CoreParameters(
        rows=config.rows,
        cols=config.cols,
        dataflow=config.dataflow,
        a=config.a,
        b=config.b,
        acc=config.acc,
        overflow=config.overflow or "wrap",
        pipeline=config.pipeline,
        vector=config.vector,
        a_words=pads.a.words,
        b_words=pads.b.words,
        c_words=pads.c.words,
        add_latency=config.add_latency,
        in_flight=config.in_flight,
        target=config.target,
    )


def top(config: SystolicConfig) -> Block:
    """The design that ``config`` describes; its module is called ``config.module_name``."""
    p = core_parameters(config)
    if config.product == "array":
        return SystolicArray(p.element, p.rows, p.cols, seeded=p.seeded, skew_memories=p.skew_memories, name="")
    return Pinout(GemmCore(p))


def modules(config: SystolicConfig) -> list[VerilogModule]:
    """All modules of the design, leaves first, the top module last."""
    emitter = Emitter(config.module_name)
    emitter.emit(top(config))
    return emitter.modules()
