"""A table of constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, unsigned
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.structure import Block


class Rom(Block):
    """A table of constants, read at ``address``; combinational. Beyond the last word it reads as that one.

    ``words`` are of ``width`` bits. ``name`` must tell them: two tables of one name are one.
    """

    def __init__(self, name: str, words: Sequence[int], width: int) -> None:
        if len(words) < 2:
            raise ValueError(f"words must be at least 2, got {len(words)}")
        for word in words:
            nearest = min(max(word, 0), (1 << width) - 1)
            if word != nearest:
                raise ValueError(f"words must be of {width} bits, got {word}; nearest legal value is {nearest}")
        self.words, self.width = tuple(words), width
        self.address_bits = max(1, ceil_log2(len(self.words)))
        super().__init__(name, {"address": In(unsigned(self.address_bits)), "word": Out(unsigned(width))})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        with m.Switch(self.address):
            for address, word in enumerate(self.words[:-1]):
                with m.Case(address):
                    m.d.comb += self.word.eq(word)
            with m.Default():
                m.d.comb += self.word.eq(self.words[-1])
        return m
