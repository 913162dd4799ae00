"""Elementary functions of bf16 as integer models: exp, reciprocal, roots, log2, activations; division; rectifiers."""

from tilewright.hdl.numeric.functions.binades import GUARD, Binades
from tilewright.hdl.numeric.functions.division import divide
from tilewright.hdl.numeric.functions.elementary import ERROR, SHAPES, Elementary, elementary
from tilewright.hdl.numeric.functions.function import FUNCTIONS, OPERAND, Function
from tilewright.hdl.numeric.functions.rectifiers import leaky_relu, relu, relu6
from tilewright.hdl.numeric.functions.reduction import LARGE, Fraction, Logarithm, Power
from tilewright.hdl.numeric.functions.search import smallest
from tilewright.hdl.numeric.functions.shape import Shape

__all__ = [
    "ERROR",
    "FUNCTIONS",
    "GUARD",
    "LARGE",
    "OPERAND",
    "SHAPES",
    "Binades",
    "Elementary",
    "Fraction",
    "Function",
    "Logarithm",
    "Power",
    "Shape",
    "divide",
    "elementary",
    "leaky_relu",
    "relu",
    "relu6",
    "smallest",
]
