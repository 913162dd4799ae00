"""From accumulators to the results that go to memory, a beat a cycle."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Value, signed, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Member, Out, connect, flipped

from tilewright.hdl.engine.channel_memory import CHANNEL
from tilewright.hdl.engine.finish_parameters import FinishParameters
from tilewright.hdl.engine.flow import Flow
from tilewright.hdl.engine.records import FINISH_ORDER, Finishing
from tilewright.hdl.engine.row_walk import RowWalk
from tilewright.hdl.stream import Buffer, Queue, beat_layout
from tilewright.hdl.structure import Block, Repeat, data_register, named, pipeline, place

MEMORY_LATENCY = 1
PRODUCT_STAGES = 2


class Finish(Block):
    """Makes beats of results of beats of accumulators, one a cycle; each packet is a matrix that ``order`` tells about.

    A packet waits for its order; orders are taken in their turn, one a packet, so that matrices follow each other
    without a gap whatever their orders are. A row starts on a new beat; ``order.cols`` tells where it ends. ``keep``
    and ``last`` come out as they came; elements that are not kept are undefined.

    Integers: ``clamp(zero_point + round(saturate(acc - zero_b * sums[row_base + row]) * multiplier * 2**-shift), low,
    high)``, see `IntegerFinish`. In mode CHANNEL multiplier and shift are those of lane ``column % lanes`` of word
    ``channel_base + column // lanes`` of the channel memory. Floats: see `FloatFinish`; ``mode`` is not looked at.

    Latency: ``latency`` cycles from a beat of ``i`` to that of ``o``. A beat is let in when it has a place in the queue
    at the end, see `Flow`; ``i.ready`` depends on registers only.

    Members
    -------
    order: FINISH_ORDER; i, o: beats of ``lanes`` codes of accumulators and of results
    channel_read, channel_address, channel_data: the read of a `ChannelMemory`, with ``channels`` only
    sum_read, sum_address, sum_data: the read of `RowSums`, with ``zero`` only
    """

    throughput = 1

    def __init__(self, parameters: FinishParameters) -> None:
        self.parameters = p = parameters
        members: dict[str, Member] = {
            "order": In(stream.Signature(FINISH_ORDER)),
            "i": In(stream.Signature(beat_layout(p.lanes, p.acc_bits))),
            "o": Out(stream.Signature(beat_layout(p.lanes, p.lane.out.width))),
        }
        if p.channels:
            members |= {
                "channel_read": Out(1),
                "channel_address": Out(unsigned(p.channel_address_bits)),
                "channel_data": In(unsigned(p.lanes * CHANNEL.size)),
            }
        if p.zero is not None:
            members |= {
                "sum_read": Out(1),
                "sum_address": Out(unsigned(p.sum_address_bits)),
                "sum_data": In(signed(p.sum_width)),
            }
        super().__init__(f"finish_{p.name}", members)

    @property
    def latency(self) -> int:
        """Cycles from a beat of ``i`` to that of ``o``."""
        return self._way + Queue.latency

    @property
    def _way(self) -> int:
        """Cycles through the lanes and what comes before them."""
        correction = PRODUCT_STAGES if self.parameters.zero is not None else 0
        return MEMORY_LATENCY + correction + self.parameters.lane.latency

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.orders = place(platform, orders := Buffer(FINISH_ORDER))
        connect(m, flipped(self.order), orders.i)
        order = orders.o.payload
        flow = Flow(m, platform, self.o, self._way)
        taken = named(m, self.i.valid & self.i.ready, "taken")
        m.d.comb += [
            self.i.ready.eq(orders.o.valid & flow.room),
            orders.o.ready.eq(taken & self.i.payload.last),
        ]

        self._walk(m, order, taken)
        held = data.View(FINISH_ORDER, data_register(m, order.as_value(), "held_order", enable=taken))
        acc = data_register(m, self.i.payload.data, "acc")
        results = self._lanes(m, platform, acc, held)
        flow.begin(m, platform, taken, self.i.payload, results)
        return m

    def _walk(self, m: Module, order: data.View, taken: Value) -> None:
        """Asks the memories for what belongs to the row and the columns of the beat that is taken."""
        p = self.parameters
        if not p.channels and p.zero is None:
            return
        walk = RowWalk(m, taken, self.i.payload.last, order.cols, p.lanes)
        if p.channels:
            word = walk.panel(m, order.channel_base[: p.channel_address_bits])
            m.d.comb += [self.channel_read.eq(taken), self.channel_address.eq(word)]
        if p.zero is not None:
            row = walk.row(m, order.row_base[: p.sum_address_bits])
            m.d.comb += [self.sum_read.eq(taken), self.sum_address.eq(row)]

    def _lanes(self, m: Module, platform: Any, acc: Value, order: data.View) -> Value:
        """The results of accumulators that were taken a cycle ago."""
        p, unit = self.parameters, self.parameters.lane
        ports = unit.signature.members.keys()
        shared = tuple(port for port in ports if port not in ("acc", "multiplier", "shift", "result"))
        lanes: Any = Repeat(f"{unit.name}_lanes{p.lanes}", unit, p.lanes, label="lane", chain={}, shared=shared)
        m.submodules.lanes = place(platform, lanes)
        late = 0 if p.zero is None else PRODUCT_STAGES
        inputs: dict[str, Value] = {"acc": acc}
        for port in ("zero_point", "low", "high", "point", "activation"):
            if port in ports:
                inputs[port] = Value.cast(order[port])[: len(getattr(lanes, port))]
        if "multiplier" in ports:
            inputs["multiplier"], inputs["shift"] = self._factors(m, order)
        for port, value in inputs.items():
            m.d.comb += getattr(lanes, port).eq(pipeline(m, value, late, port))
        if p.zero is not None:
            zero = order.zero_b[: p.zero_bits].as_signed()
            product = named(m, zero * self.sum_data, "correction")
            m.d.comb += lanes.correction.eq(pipeline(m, product, PRODUCT_STAGES, "correction"))
        return lanes.result

    def _factors(self, m: Module, order: data.View) -> tuple[Value, Value]:
        """Multipliers and shifts of all lanes."""
        p = self.parameters
        tensor = {field: order[field][: shape.width] for field, shape in CHANNEL.members.items()}
        found = []
        per_channel = Value.cast(order.mode) == Finishing.CHANNEL.value if p.channels else Const(0, 1)
        for field, shape in CHANNEL.members.items():
            one = tensor[field].replicate(p.lanes)
            if p.channels:
                starts = [lane * CHANNEL.size + CHANNEL[field].offset for lane in range(p.lanes)]
                many = Cat(self.channel_data[start : start + shape.width] for start in starts)
                one = named(m, Mux(per_channel, many, one), f"{field}s")
            found.append(one)
        return found[0], found[1]
