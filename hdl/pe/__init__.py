"""One processing element per dataflow family."""

from tilewright.hdl.pe.element import Element, Operands
from tilewright.hdl.pe.flexible import FlexibleElement
from tilewright.hdl.pe.output import OutputElement
from tilewright.hdl.pe.stationary import StationaryElement

__all__ = ["Element", "FlexibleElement", "Operands", "OutputElement", "StationaryElement"]
