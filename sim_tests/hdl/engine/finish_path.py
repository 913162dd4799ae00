"""A finish path with its memories, as an engine has it."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import stream
from amaranth.lib.wiring import In, Member, connect, flipped

from tilewright.hdl.engine.channel_memory import ChannelMemory
from tilewright.hdl.engine.finish import Finish
from tilewright.hdl.engine.finish_parameters import FinishParameters
from tilewright.hdl.engine.row_sums import RowSums
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.structure import Block, place


class FinishPath(Block):
    """`Finish`, the memory of its channels, and the sums of the rows of A, whose streams begin with ``channels_`` and
    ``sums_``."""

    def __init__(self, parameters: FinishParameters, load_lanes: int, values: int, a: IntFormat) -> None:
        p = parameters
        self.finish = Finish(p)
        self.channels = ChannelMemory(p.channels, p.lanes, load_lanes)
        self.sums = RowSums(values, a, p.sum_rows, p.sum_width)
        members: dict[str, Member] = {}
        for prefix, block in (("", self.finish), ("channels_", self.channels), ("sums_", self.sums)):
            for port, member in block.signature.members.items():
                if member.is_signature and isinstance(member.signature, stream.Signature):
                    members[prefix + port] = member
        super().__init__(f"path_{self.finish.name}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        for prefix, block in (("", self.finish), ("channels_", self.channels), ("sums_", self.sums)):
            m.submodules[f"{prefix}block"] = place(platform, block)
            for port in self.signature.members:
                inside = port.removeprefix(prefix)
                if not port.startswith(prefix) or inside not in block.signature.members:
                    continue
                if prefix == "" and port.startswith(("channels_", "sums_")):
                    continue
                pair = (flipped(getattr(self, port)), getattr(block, inside))
                connect(m, *(pair if block.signature.members[inside].flow is In else pair[::-1]))
        m.d.comb += [
            self.channels.read.eq(self.finish.channel_read),
            self.channels.read_address.eq(self.finish.channel_address),
            self.finish.channel_data.eq(self.channels.read_data),
            self.sums.read.eq(self.finish.sum_read),
            self.sums.read_address.eq(self.finish.sum_address),
            self.finish.sum_data.eq(self.sums.read_data),
        ]
        return m
