"""The channels of AXI4 and AXI4-Lite as streams (AMBA AXI Protocol Specification, ARM IHI 0022H)."""

from __future__ import annotations

from amaranth.hdl import unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, Signature

LARGEST_BURST = 256  # beats of an AXI4 burst of type INCR
PAGE = 4096  # bytes; no burst crosses such a boundary


def address_layout(address_bits: int) -> data.StructLayout:
    """AR and AW: a burst of ``len + 1`` beats from ``addr``. Size, type and all else are constants of the manager."""
    return data.StructLayout({"addr": unsigned(address_bits), "len": unsigned(8)})


def read_layout(data_bits: int) -> data.StructLayout:
    """R."""
    return data.StructLayout({"data": unsigned(data_bits), "resp": unsigned(2), "last": unsigned(1)})


def write_layout(data_bits: int) -> data.StructLayout:
    """W."""
    return data.StructLayout({"data": unsigned(data_bits), "strb": unsigned(data_bits // 8), "last": unsigned(1)})


RESPONSE = data.StructLayout({"resp": unsigned(2)})
"""B."""


def read_signature(address_bits: int, data_bits: int) -> Signature:
    """AR and R of an AXI4 manager that uses one ID."""
    return Signature(
        {
            "ar": Out(stream.Signature(address_layout(address_bits))),
            "r": In(stream.Signature(read_layout(data_bits))),
        }
    )


def write_signature(address_bits: int, data_bits: int) -> Signature:
    """AW, W and B of an AXI4 manager that uses one ID."""
    return Signature(
        {
            "aw": Out(stream.Signature(address_layout(address_bits))),
            "w": Out(stream.Signature(write_layout(data_bits))),
            "b": In(stream.Signature(RESPONSE)),
        }
    )


def lite_signature(address_bits: int) -> Signature:
    """AXI4-Lite of 32 bits, as its manager sees it. Protection bits are not looked at and have no member."""
    address = data.StructLayout({"addr": unsigned(address_bits)})
    return Signature(
        {
            "aw": Out(stream.Signature(address)),
            "w": Out(stream.Signature(data.StructLayout({"data": unsigned(32), "strb": unsigned(4)}))),
            "b": In(stream.Signature(RESPONSE)),
            "ar": Out(stream.Signature(address)),
            "r": In(stream.Signature(data.StructLayout({"data": unsigned(32), "resp": unsigned(2)}))),
        }
    )
