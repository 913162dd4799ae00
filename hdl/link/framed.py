"""Bytes of frames on their way through the link."""

from __future__ import annotations

from amaranth.hdl import unsigned
from amaranth.lib import data


def framed_layout() -> data.StructLayout:
    """A byte of a frame or, with ``end``, what follows its last byte: whether the frame has come whole (``whole``)."""
    return data.StructLayout({"byte": unsigned(8), "end": unsigned(1), "whole": unsigned(1)})
