"""Elementary functions, division and rectifiers as blocks without handshake."""

from tilewright.hdl.arith.functions.divider import Divider
from tilewright.hdl.arith.functions.function_unit import function_unit
from tilewright.hdl.arith.functions.rectifier import LeakyRelu, Rectifier, Relu, Relu6
from tilewright.hdl.arith.functions.rom import Rom
from tilewright.hdl.arith.functions.unit import FunctionUnit

__all__ = ["Divider", "FunctionUnit", "LeakyRelu", "Rectifier", "Relu", "Relu6", "Rom", "function_unit"]
