"""The commands in flight: who runs which, which regions they use, who waits for whom."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from tilewright.hdl.structure import Block, named
from tilewright.hdl.systolic.decoder import DECODED, overlap
from tilewright.hdl.systolic.records import ANSWER, Start, Status

WALKERS = ("load", "stream", "read", "write")
"""Sequencers that walk commands, each at its own place: operands to hold, operands to stream, C read, C written."""


class Flight(Block):
    """A table of up to 4 commands that are decoded and not yet answered by the user taking their completion.

    A legal command enters the table, and every walker takes it in order. A refused one waits until the table is empty
    and is then answered: answers come in the order of the commands.

    Parameters
    ----------
    answer: StructLayout
        Of completions.
    depth: int
        Commands that it holds, 2 or 4.

    Members
    -------
    valid, decoded, status, take: the `Decoder`'s other side
    blocked: a transfer under way touches words of the command being decoded, which waits
    <walker>_valid, <walker>_command, <walker>_take: the next command of each walker
    load_clear, stream_clear: no command whose C overlaps that of the command which the walker takes now, or took last,
        is in flight before it
    finish: the last word of the oldest command's C is written at the end of this cycle
    completion: stream of ``answer``, valid one cycle after ``finish``
    other fields of ``answer``: those of the oldest command, with ``finish``; 0 in answers to refused ones
    busy, spans: the commands in flight, for checks of transfers
    """

    def __init__(self, answer: data.StructLayout = ANSWER, depth: int = 4) -> None:
        self.answer, self.depth = answer, depth
        members: dict[str, Any] = {"valid": In(1), "decoded": In(DECODED), "status": In(Status), "blocked": In(1)}
        members |= {"take": Out(1)}
        for walker in WALKERS:
            members |= {f"{walker}_valid": Out(1), f"{walker}_command": Out(DECODED), f"{walker}_take": In(1)}
        members |= {
            "load_clear": Out(1),
            "stream_clear": Out(1),
            "finish": In(1),
            "completion": Out(stream.Signature(answer)),
        }
        members |= {field: In(shape) for field, shape in answer.members.items() if field not in ANSWER.members}
        members |= {"busy": Out(depth), "spans": Out(data.ArrayLayout(DECODED, depth))}
        super().__init__("flight", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        depth = self.depth
        table = [Signal(DECODED, name=f"command_{i}", reset_less=True) for i in range(depth)]
        after = [Signal(depth, name=f"after_{i}") for i in range(depth)]
        busy = Signal(depth)
        tail, oldest, taken = self._count("tail"), self._count("oldest"), self._count("taken")
        m.d.comb += [self.busy.eq(busy), self.spans.eq(Cat(t.as_value() for t in table))]

        # An entry is used until the user takes its answer, so that answers always find room.
        room = named(m, (tail - taken)[: len(tail)] != depth, "room")
        legal = named(m, self.status == Status.OK.value, "legal")
        push = Signal()
        refuse = Signal()
        m.d.comb += [
            push.eq(self.valid & legal & room & ~self.blocked),
            refuse.eq(self.valid & ~legal & room & ~busy.any()),
            self.take.eq(push | refuse),
        ]
        done = Signal(depth)
        m.d.comb += done.eq(Mux(self.finish, 1 << _entry(oldest), 0))
        live = Signal(depth)
        m.d.comb += live.eq(busy & ~done)
        waits = named(m, Cat(live[i] & self._conflict(m, i, table[i]) for i in range(depth)), "waits_for")
        with m.Switch(_entry(tail)):
            for i in range(depth):
                with m.Case(i), m.If(push):
                    m.d.sync += table[i].eq(self.decoded)
        for i in range(depth):
            m.d.sync += after[i].eq(Mux(push & (_entry(tail) == i), waits, after[i] & ~done))
        m.d.sync += busy.eq(live | Mux(push, 1 << _entry(tail), 0))
        with m.If(push | refuse):
            m.d.sync += tail.eq(tail + 1)
        with m.If(refuse | self.finish):
            m.d.sync += oldest.eq(oldest + 1)
        self._answers(m, Array(table)[_entry(oldest)].tag, refuse, taken)
        self._walkers(m, table, after, tail, refuse)
        return m

    def _count(self, name: str) -> Signal:
        """A count of commands, modulo twice the depth."""
        return Signal(exact_log2(self.depth) + 1, name=name)

    def _answers(self, m: Module, finished: Value, refuse: Signal, taken: Signal) -> None:
        """A queue of answers: to the command of tag ``finished`` when it ends, or to the one that is refused."""
        answers = [Signal(self.answer, name=f"answer_{i}", reset_less=True) for i in range(self.depth)]
        answered = self._count("answered")
        new = Signal(self.answer, name="new_answer")
        m.d.comb += [
            new.tag.eq(Mux(self.finish, finished, self.decoded.tag)),
            new.status.eq(Mux(self.finish, Status.OK.value, self.status)),
        ]
        for field in self.answer.members:
            if field not in ANSWER.members:
                m.d.comb += getattr(new, field).eq(Mux(self.finish, getattr(self, field), 0))
        with m.If(refuse | self.finish):
            m.d.sync += answered.eq(answered + 1)
            with m.Switch(_entry(answered)):
                for i, answer in enumerate(answers):
                    with m.Case(i):
                        m.d.sync += answer.eq(new)
        m.d.comb += [
            self.completion.valid.eq(answered != taken),
            self.completion.payload.eq(Array(answers)[_entry(taken)]),
        ]
        with m.If(self.completion.valid & self.completion.ready):
            m.d.sync += taken.eq(taken + 1)

    def _conflict(self, m: Module, index: int, earlier: Any) -> Value:
        """Whether the command being decoded must see the last write of ``earlier`` before it starts."""
        new = self.decoded
        c = named(m, overlap(new.c, earlier.c), f"c_meets_{index}")
        bias = named(m, overlap(new.bias, earlier.c), f"bias_meets_{index}")
        return (new.region == earlier.region) & (c | (bias & (new.start == Start.BIAS)))

    def _walkers(self, m: Module, table: list[Any], after: list[Signal], tail: Signal, refuse: Signal) -> None:
        for walker in WALKERS:
            at = self._count(f"{walker}_at")
            m.d.comb += [
                getattr(self, f"{walker}_valid").eq(at != tail),
                getattr(self, f"{walker}_command").eq(Array(table)[_entry(at)]),
            ]
            # A refused command leaves an entry that nobody walks; the table was empty, so all walkers are at it.
            with m.If(getattr(self, f"{walker}_take") | refuse):
                m.d.sync += at.eq(at + 1)
            if walker in ("load", "stream"):
                last = Mux(getattr(self, f"{walker}_take"), at, at - 1)[: len(at)]
                walked = named(m, _entry(last), f"{walker}_walked")
                m.d.comb += getattr(self, f"{walker}_clear").eq(~Array(after)[walked].any())


def _entry(count: Value) -> Value:
    """The place of the table that a count of commands, modulo twice its depth, has come to."""
    return count[:-1]


def walk(m: Module, flight: Flight, walker: str, block: Any) -> None:
    """Gives ``block`` its commands: it is the ``walker`` of the table."""
    m.d.comb += [
        block.valid.eq(getattr(flight, f"{walker}_valid")),
        block.command.eq(getattr(flight, f"{walker}_command")),
        getattr(flight, f"{walker}_take").eq(block.take),
    ]
