"""Descriptions of tensors, kept for the instructions that move parts of them."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.engine.records import HEAD, SLOTS, TENSOR
from tilewright.hdl.memory.register_file import RegisterFile
from tilewright.hdl.structure import Block, place

TENSOR_BITS = TENSOR.size - HEAD.size


class TensorSlots(Block):
    """Slots of a LOAD_TENSOR or STORE_TENSOR each, without its head. Undefined until written.

    Members: write, write_slot, write_tensor: at the clock edge; slot: read without a clock; tensor
    """

    def __init__(self) -> None:
        index = ceil_log2(SLOTS)
        super().__init__(
            "tensor_slots",
            {
                "write": In(1),
                "write_slot": In(index),
                "write_tensor": In(TENSOR_BITS),
                "slot": In(index),
                "tensor": Out(TENSOR_BITS),
            },
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.store = place(platform, words := RegisterFile(SLOTS, TENSOR_BITS))
        m.d.comb += [
            words.write_enable.eq(self.write),
            words.write_address.eq(self.write_slot),
            words.write_data.eq(self.write_tensor),
            words.read_address.eq(self.slot),
            self.tensor.eq(words.read_data),
        ]
        return m
