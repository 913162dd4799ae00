"""One thing at a time: checks a command or transfer, sees it done, answers it, and looks for the next."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.pe.window_operands import POINT
from tilewright.hdl.structure import Block, data_register, named
from tilewright.hdl.systolic.decoder import DECODED
from tilewright.hdl.systolic.flight import WALKERS
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, Status, command_layout, completion_layout
from tilewright.hdl.systolic.turn_request import Matrix, TurnRequest, of
from tilewright.hdl.systolic.turn_walk import TurnWalk

LOADS = ("load_a", "load_b", "load_c")
KINDS = (*LOADS, "read_c")


class Turns(Block):
    """Takes commands and transfers by turns, and goes through the matrices of transfers.

    Of those that wait a turn goes to loads of A, of B, of C, read-outs, commands, in this order. It ends when its
    answer is taken. A request is checked, two cycles for the turn and ``3 + panels`` for each matrix, and then taken; a
    command that walkers run, which use it where it is, when they are done. A load moves a beat a cycle, a read-out a
    beat in two.

    Members
    -------
    command, completion; load_*_command, load_*_answer; read_c_*: streams of a `GemmCore`
    <walker>_valid, <walker>_command, <walker>_take, load_clear, stream_clear, finish: as of a `Flight`; all walkers
        take a command in the cycle in which it is there; it stays until ``finish``
    point: of the command, where accumulators are windows; other fields of completions: as of a `Flight`
    load_*_valid, load_*_last, load_*_ready: of beats; load_*_write: the beat is written, in this cycle, to
    address, region, slot
    read: ``address`` of ``region`` is read; gives: its word is the beat, until ``given``; ``left``: the columns that
        are left in its row, those of the beat included; ``finishes``: it is the last one
    """

    def __init__(self, parameters: CoreParameters) -> None:
        p = self.parameters = parameters
        self.answer = completion_layout(p)
        self.memories = (p.a_memory, p.b_memory, p.c_memory)
        members: dict[str, Any] = {
            "command": In(stream.Signature(command_layout(p))),
            "completion": Out(stream.Signature(self.answer)),
        }
        for kind in KINDS:
            members |= {f"{kind}_command": In(stream.Signature(TRANSFER))}
            members |= {f"{kind}_answer": Out(stream.Signature(ANSWER))}
        for walker in WALKERS:
            members |= {f"{walker}_valid": Out(1), f"{walker}_command": Out(DECODED), f"{walker}_take": In(1)}
        members |= {"load_clear": Out(1), "stream_clear": Out(1), "finish": In(1)}
        members |= {field: In(shape) for field, shape in self.answer.members.items() if field not in ANSWER.members}
        members |= {"point": Out(POINT)} if p.has_point else {}
        for load in LOADS:
            members |= {f"{load}_valid": In(1), f"{load}_last": In(1), f"{load}_ready": Out(1), f"{load}_write": Out(1)}
        columns = max(g.words * g.lanes for g in self.memories).bit_length()
        members |= {
            "address": Out(max(g.address_bits for g in self.memories)),
            "region": Out(1),
            "slot": Out(max(1, (p.b_memory.slots - 1).bit_length())),
            "read": Out(1),
            "gives": Out(1),
            "given": In(1),
            "left": Out(columns),
            "finishes": Out(1),
        }
        super().__init__("turns", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        kinds, answers = self._requests()
        # Whose turn it is: a bit for each sort of transfer, and one for commands.
        turn, matrix = Signal(len(kinds)), Signal(Matrix)
        request = TurnRequest(m, self.parameters, turn, matrix, [kind.payload for kind in kinds])
        is_a, is_b = named(m, matrix == Matrix.A, "is_a"), named(m, matrix == Matrix.B, "is_b")
        walk = TurnWalk(m, self.memories, (is_a, is_b))
        slots = Value.cast(Mux(is_b, self.memories[1].slots, 1))

        answer = Signal(self.answer, name="answer")
        came = named(m, of(turn, [getattr(self, f"{load}_valid") for load in LOADS]), "came")
        last = named(m, of(turn, [getattr(self, f"{load}_last") for load in LOADS]), "last")
        taken, moving, dropping, ended = (Signal(name=name) for name in ("taken", "moving", "dropping", "ended"))
        starts = Signal(name="starts")
        c_end, bias_in_c = self._meeting(m, walk, request)
        good = named(m, answer.status == Status.OK.value, "good")
        with m.FSM(name="state"):
            with m.State("IDLE"):
                waiting = named(m, Cat(kind.valid for kind in kinds), "waiting")
                m.d.sync += [turn.eq(waiting & (-waiting)[: len(waiting)]), answer.eq(0)]
                m.d.sync += matrix.eq(request.first_matrix(waiting))
                with m.If(waiting.any()):
                    m.next = "TURN"
            self._look(m, walk, request, answer, c_end, bias_in_c)
            with m.State("TAKE"):
                m.d.comb += taken.eq(~(request.is_command & good))
                walk.begin(m, request.rows)
                m.d.sync += [answer.tag.eq(request.tag), self.region.eq(request.region)]
                self._go_on(m, request, turn, answer, good)
            with m.State("START"):
                m.d.comb += starts.eq(1)
                m.next = "RUN"
            with m.State("RUN"), m.If(self.finish):
                m.d.comb += taken.eq(1)
                for field in self.answer.members:
                    if field not in ANSWER.members:
                        m.d.sync += getattr(answer, field).eq(getattr(self, field))
                m.next = "ANSWER"
            self._move(m, walk, answer, came, last, slots, moving, dropping)
            with m.State("ANSWER"):
                m.d.comb += ended.eq(1)
                with m.If(of(turn, [told.ready for told in answers])):
                    m.next = "IDLE"

        self._tell(m, walk, turn, answer, taken, ended, moving, dropping, came)
        self._start(m, request, starts)
        return m

    def _requests(self) -> tuple[list[Any], list[Any]]:
        """Streams of what is asked, and of its answers, in the order of turns."""
        kinds = [*(getattr(self, f"{kind}_command") for kind in KINDS), self.command]
        return kinds, [*(getattr(self, f"{kind}_answer") for kind in KINDS), self.completion]

    def _tell(
        self, m: Module, walk: TurnWalk, turn: Signal, answer: Any, taken: Signal, ended: Signal, moving: Signal,
        dropping: Signal, came: Value,
    ) -> None:  # fmt: skip
        """What the streams and the memories see of the state."""
        kinds, answers = self._requests()
        for bit, (kind, told) in enumerate(zip(kinds, answers, strict=True)):
            m.d.comb += [kind.ready.eq(taken & turn[bit]), told.valid.eq(ended & turn[bit])]
            m.d.comb += told.payload.eq(answer.as_value()[: len(Value.cast(told.payload))])
        for bit, load in enumerate(LOADS):
            m.d.comb += [
                getattr(self, f"{load}_ready").eq((moving | dropping) & turn[bit]),
                getattr(self, f"{load}_write").eq(moving & turn[bit] & came),
            ]
        m.d.comb += [
            self.address.eq(walk.panel[: len(self.address)]), self.slot.eq(walk.slot), self.left.eq(walk.left),
        ]  # fmt: skip
        m.d.comb += self.finishes.eq(data_register(m, walk.final, "final_read", enable=self.read))

    def _go_on(self, m: Module, request: TurnRequest, turn: Signal, answer: Any, good: Value) -> None:
        """To what was asked for, or to its refusal: of a load that is refused the beats come all the same."""
        with m.If(~good):
            m.next = "ANSWER"
            with m.If(turn[:3].any() & (answer.status != Status.EMPTY.value)):
                m.next = "DROP"
        with m.Elif(request.is_command):
            m.next = "START"
        with m.Elif(turn[3]):
            m.next = "ASK"
        with m.Else():
            m.next = "LOAD"

    def _move(
        self, m: Module, walk: TurnWalk, answer: Any, came: Value, last: Value, slots: Value, moving: Signal,
        dropping: Signal,
    ) -> None:  # fmt: skip
        """States that move the words of a transfer: a load, what is left of a refused one, a read-out."""
        with m.State("LOAD"):
            m.d.comb += moving.eq(1)
            with m.If(came):
                walk.advance(m, slots)
                with m.If(last ^ walk.final):
                    m.d.sync += answer.status.eq(Status.LENGTH.value)
                with m.If(last):
                    m.next = "ANSWER"
                with m.Elif(walk.final):
                    m.next = "DROP"
        with m.State("DROP"):
            m.d.comb += dropping.eq(1)
            with m.If(came & last):
                m.next = "ANSWER"
        with m.State("ASK"):
            m.d.comb += self.read.eq(1)
            walk.advance(m, 1)
            m.next = "GIVE"
        with m.State("GIVE"):
            m.d.comb += self.gives.eq(1)
            with m.If(self.given):
                m.next = "ASK"
                with m.If(self.finishes):
                    m.next = "ANSWER"

    def _look(
        self, m: Module, walk: TurnWalk, request: TurnRequest, answer: Any, c_end: Signal, bias_in_c: Signal
    ) -> None:
        """States that check what is asked, matrix by matrix; each walks the first row, to see where it ends."""
        with m.State("TURN"):
            m.next = "LOOK"
        with m.State("LOOK"):
            walk.look(m, request.base, request.stride, request.columns)
            m.d.sync += answer.status.eq(request.wrong)
            m.next = "CHECK"
            with m.If(request.wrong != Status.OK.value):
                m.next = "TAKE"
        with m.State("CHECK"):
            walk.next_panel(m)
            with m.If(walk.end_of_row):
                m.next = "END"
        with m.State("END"):
            walk.note_end(m)
            m.next = "VERDICT"
        with m.State("VERDICT"):
            self._verdict(m, walk, request, answer, c_end, bias_in_c)

    @staticmethod
    def _meeting(m: Module, walk: TurnWalk, request: TurnRequest) -> tuple[Signal, Signal]:
        """The end of C, for whoever finds it to tell; a cycle after the end of the bias, that the two meet."""
        c_end, c_base = Signal(len(walk.panel), name="c_end", reset_less=True), request.command.c_base
        meets = (c_base[: len(walk.base)] < walk.panel) & (walk.base < c_end)
        return c_end, data_register(m, request.has_bias & meets, "bias_in_c")

    def _verdict(
        self, m: Module, walk: TurnWalk, request: TurnRequest, answer: Any, c_end: Signal, bias_in_c: Signal
    ) -> None:
        """The walk has been at the end of a matrix for a cycle: does that fit, and lies the bias within C?"""
        matrix = request.matrix
        fails = named(m, walk.wide & ((matrix != Matrix.BIAS) | request.has_bias), "fails")
        m.next = "TAKE"
        with m.If(fails):
            code = Mux(request.is_command, Status.A_OUT_OF_RANGE.value + Value.cast(matrix), Status.OUT_OF_RANGE.value)
            m.d.sync += answer.status.eq(code)
        with m.Elif(request.is_command):
            with m.If(matrix == Matrix.BIAS):
                with m.If(bias_in_c):
                    m.d.sync += answer.status.eq(Status.BIAS_IN_C.value)
            with m.Else():
                m.d.sync += matrix.eq(Value.cast(matrix) + 1)
                m.next = "LOOK"
        with m.If(matrix == Matrix.C):
            m.d.sync += c_end.eq(walk.panel)

    def _start(self, m: Module, request: TurnRequest, starts: Value) -> None:
        """Gives the command to all walkers."""
        command = request.command
        m.d.comb += [self.load_clear.eq(1), self.stream_clear.eq(1)]
        for walker in WALKERS:
            given = getattr(self, f"{walker}_command")
            m.d.comb += [getattr(self, f"{walker}_valid").eq(starts), given.kg.eq(request.groups)]
            for field in ("m", "n", "k", "dataflow", "start", "region", "tag"):
                m.d.comb += getattr(given, field).eq(getattr(command, field))
            for matrix in ("a", "b", "c", "bias"):
                m.d.comb += getattr(given, matrix).low.eq(getattr(command, f"{matrix}_base"))
        if self.parameters.has_point:
            with m.If(starts):
                m.d.sync += self.point.eq(command.point)
