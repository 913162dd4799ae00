"""How blocks are put together: placement by name, repetition, skew."""

from tilewright.hdl.structure.block import Block, Placer, place
from tilewright.hdl.structure.compare import at_most
from tilewright.hdl.structure.delay import Delay, Taps
from tilewright.hdl.structure.lanes import masked
from tilewright.hdl.structure.primitive import Primitive
from tilewright.hdl.structure.register import Registered, data_register, named, pipeline
from tilewright.hdl.structure.repeat import Repeat
from tilewright.hdl.structure.skew import Skew

__all__ = [
    "Block",
    "Delay",
    "Placer",
    "Primitive",
    "Registered",
    "Repeat",
    "Skew",
    "Taps",
    "at_most",
    "data_register",
    "masked",
    "named",
    "pipeline",
    "place",
]
