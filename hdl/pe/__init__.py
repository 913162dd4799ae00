"""One processing element per dataflow family."""

from tilewright.hdl.pe.element import Element
from tilewright.hdl.pe.flexible import FlexibleElement
from tilewright.hdl.pe.float_operands import FloatOperands
from tilewright.hdl.pe.integer_operands import IntegerOperands
from tilewright.hdl.pe.operands import Operands
from tilewright.hdl.pe.output import OutputElement
from tilewright.hdl.pe.pair import in_row
from tilewright.hdl.pe.seeded import SeededFlexibleElement, SeededOutputElement
from tilewright.hdl.pe.stationary import StationaryElement
from tilewright.hdl.pe.stepped import SteppedElement
from tilewright.hdl.pe.window_operands import WindowOperands

__all__ = [
    "Element",
    "FlexibleElement",
    "FloatOperands",
    "IntegerOperands",
    "Operands",
    "OutputElement",
    "SeededFlexibleElement",
    "SeededOutputElement",
    "StationaryElement",
    "SteppedElement",
    "WindowOperands",
    "in_row",
]
