"""One processing element per dataflow family."""

from tilewright.hdl.pe.element import Element, Operands
from tilewright.hdl.pe.flexible import FlexibleElement
from tilewright.hdl.pe.output import OutputElement
from tilewright.hdl.pe.seeded import SeededFlexibleElement, SeededOutputElement
from tilewright.hdl.pe.stationary import StationaryElement

__all__ = [
    "Element",
    "FlexibleElement",
    "Operands",
    "OutputElement",
    "SeededFlexibleElement",
    "SeededOutputElement",
    "StationaryElement",
]
