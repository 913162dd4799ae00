"""Between a host and a core: bytes on a wire, and frames of them."""

from tilewright.hdl.link.byte_link import ByteLink
from tilewright.hdl.link.cobs_decode import CobsDecode
from tilewright.hdl.link.cobs_encode import CobsEncode
from tilewright.hdl.link.executor import Executor
from tilewright.hdl.link.frame_in import FrameIn
from tilewright.hdl.link.frame_out import FrameOut
from tilewright.hdl.link.framed import framed_layout
from tilewright.hdl.link.uart_link import UartLink
from tilewright.hdl.link.uart_receive import UartReceive
from tilewright.hdl.link.uart_send import UartSend

__all__ = [
    "ByteLink",
    "CobsDecode",
    "CobsEncode",
    "Executor",
    "FrameIn",
    "FrameOut",
    "UartLink",
    "UartReceive",
    "UartSend",
    "framed_layout",
]
