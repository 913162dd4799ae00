"""The cycle model of a core: closed formulas that equal the RTL exactly.

Cycle numbers are those of clock edges: a command is taken at edge ``taken``, its completion is offered at edge
``offered``, and by then the last word of its C can be read. Not covered: transfers that make the user's completions
wait, and nothing else; the array never stalls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tilewright.generators.reference.turns import Turns


@dataclass(frozen=True)
class Gemm:
    """One command as far as timing goes. ``after`` are the indices of earlier commands whose C it overlaps.

    ``point``: see `Command`; one with another waits until the commands before it are done.
    """

    m: int
    n: int
    k: int
    dataflow: str
    after: tuple[int, ...] = ()
    point: int = 0


@dataclass(frozen=True)
class Timing:
    """When things happen to one command (cycles)."""

    taken: int
    first_step: int
    last_step: int
    offered: int
    begun: int
    """The edge that takes the command; where one thing is done at a time, that with which its turn begins."""

    @property
    def cycles(self) -> int:
        """From the edge with which the command begins to the edge that offers its completion."""
        return self.offered - self.begun


@dataclass
class _State:
    """What earlier commands leave behind. Cycles; -1 is long ago."""

    pushed: int = -1
    point: int = 0
    load_free: int = -1  # the load sequencer can take its next command
    loads_like: str = "ws"  # dataflow that the load sequencer saw last
    streamed: int = -1  # last step of the last command
    tile_started: int = -1  # decision to start the last WS or IS fold
    tile_ended: int = -(1 << 30)  # last step of the last OS tile
    turns: Turns | None = None  # OS tiles that go on by turns
    timings: list[Timing] = field(default_factory=list)
    finished: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class CycleModel:
    """The timing of a core.

    Args:
        rows, cols: processing elements.
        dataflow: ``ws``, ``os``, ``is`` or ``any`` – what the core can do.
        pipeline, vector: as in the configuration.
        add_latency: as in the configuration.
        seeded: sums start from C at the top of the array (where their order matters), not at its foot.
        in_flight: as in the configuration; with 1, transfers and commands are done one at a time.
    """

    rows: int
    cols: int
    dataflow: str
    pipeline: int = 1
    vector: int = 1
    seeded: bool = False
    add_latency: int = 1
    in_flight: int = 4

    @cached_property
    def _turns(self) -> dict[str, int | None]:
        """Rotator registers of A, B and C; None where a memory is one wide word."""

        def stages(lanes: int) -> int:
            return ((lanes - 1).bit_length() + 1) // 2

        r, c, both = stages(self.rows), stages(self.cols), stages(max(self.rows, self.cols))
        turns: dict[str, dict[str, int | None]] = {
            "ws": {"a": None, "b": None, "c": None},
            "os": {"a": r, "b": None, "c": None},
            "is": {"a": c, "b": r, "c": c},
            "any": {"a": both, "b": both, "c": c},
        }
        return turns[self.dataflow]

    def read_latency(self, memory: str) -> int:
        """Cycles from a request to its data, of memory ``a``, ``b`` or ``c``."""
        turns = self._turns[memory]
        return 1 if turns is None else 2 + turns

    def write_latency(self, memory: str) -> int:
        """Cycles from a write request to the write, of memory ``a``, ``b`` or ``c``."""
        turns = self._turns[memory]
        return 0 if turns is None else max(1, turns)

    @property
    def decode(self) -> int:
        """Edges from taking a command to its entry in the command table; one more where words have to be divided by.

        Memories that are one wide word have as many elements in it as the array has rows or columns. A core that does
        one thing at a time takes a command when it has been looked at, and there is no table.
        """
        if self.in_flight == 1:
            return 0
        wide = {"ws": (self.rows, self.cols), "os": (self.cols,)}.get(self.dataflow, ())
        return 4 + any(lanes & (lanes - 1) for lanes in wide)

    @property
    def _descent(self) -> int:
        """Cycles of a sum on its way down a column; where sums stay, the add takes more, and rows follow at once."""
        if self.dataflow == "os":
            return self.rows + self.add_latency - 1
        return self.rows * self.add_latency

    @property
    def read_after_write(self) -> int:
        """Fewest cycles between a fold and the next one that adds to the same words of C.

        The way of a word from C through the accumulator (``seeded``: through the array) and back.
        """
        turns = self._turns["c"]
        out = 1 if turns is None else 1 + turns
        through = self._descent + self.cols if self.seeded else 2
        return out + through + self.write_latency("c") + (self.in_flight == 1)  # which writes from a register

    def look(self, m: int, n: int, k: int) -> int:
        """Cycles in which a core that does one thing at a time looks at a command before it starts it.

        Two for the turn and one for what was found; for A, B, C and bias three each, and one a panel of a row.
        """
        panels_of_a, panels = -(-k // (self.rows * self.vector)), -(-n // self.cols)
        return 3 + (3 + panels_of_a) + 3 * (3 + panels)

    def folds(self, m: int, n: int, k: int, dataflow: str) -> tuple[int, int, int]:
        """(outer folds, inner folds, steps of a fold)."""
        groups = -(-k // self.vector)
        depth = -(-k // (self.rows * self.vector))
        if dataflow == "os":
            return -(-m // self.rows), -(-n // self.cols), groups
        if dataflow == "ws":
            return depth, -(-n // self.cols), m
        return depth, -(-m // self.cols), n

    def fold_time(self, steps: int) -> int:
        """Cycles from fold to fold: ``max(steps, rows)``."""
        return max(steps, self.rows)

    def least(self, m: int, n: int, k: int, dataflow: str) -> int:
        """Cycles from the last step of a command to that of the next one, which has this size, at least."""
        if 0 in (m, n, k):
            return 0
        outer, inner, steps = self.folds(m, n, k, dataflow)
        return (outer * inner - 1) * self.fold_time(steps) + steps

    def run(self, commands: Sequence[Gemm], offered: Sequence[int] | None = None) -> list[Timing]:
        """Timings of ``commands`` that the user offers at edges ``offered`` (all at 0 when not given).

        Completions are taken at once. All must be legal and have no zero size.
        """
        state = _State()
        for index, command in enumerate(commands):
            self._step(state, command, offered[index] if offered is not None else 0)
        return state.timings

    def follow(self) -> Callable[[Gemm, int], Timing]:
        """A function for commands of which not all are known yet: told one and the edge of its offer, it tells when.

        Commands are told in their order, from an idle core on; ``after`` counts them from 0.
        """
        state = _State()

        def tell(command: Gemm, offered: int) -> Timing:
            self._step(state, command, offered)
            return state.timings[-1]

        return tell

    def cycles(self, m: int, n: int, k: int, dataflow: str | None = None) -> int:
        """Cycles of one command on an idle core; 0-sized ones are answered in ``decode + 1``."""
        if 0 in (m, n, k):
            return self.decode + 1
        return self.run([Gemm(m, n, k, dataflow or self.dataflow)])[0].cycles

    def compute_cycles(self, m: int, n: int, k: int, dataflow: str | None = None) -> int:
        """Cycles from the first operand that enters the array to the last multiply-accumulate; pipeline, drain apart.

        For one output-stationary tile this is ``K + rows + cols - 2``.
        """
        timing = self.run([Gemm(m, n, k, dataflow or self.dataflow)])[0]
        return timing.last_step - timing.first_step + self.rows + self.cols - 1

    def best(self, m: int, n: int, k: int) -> str:
        """The dataflow of the fewest cycles that the core can do; the first of ws, os, is among equals."""
        able = ("ws", "os", "is") if self.dataflow == "any" else (self.dataflow,)
        return min(able, key=lambda d: self.cycles(m, n, k, d))

    def utilisation(self, m: int, n: int, k: int, dataflow: str | None = None) -> float:
        """Multiply-accumulates of the product over those that the array could have done in the command's cycles."""
        return m * n * k / (self.cycles(m, n, k, dataflow) * self.rows * self.cols * self.vector)

    def _step(self, state: _State, command: Gemm, offered: int) -> None:
        outer, inner, steps = self.folds(command.m, command.n, command.k, command.dataflow)
        taken = max(offered, state.pushed + 1)
        begun, pushed = taken, taken + self.decode
        if self.in_flight == 1:
            begun = max(offered, state.timings[-1].offered + 1 if state.timings else 0)
            pushed = begun + self.look(command.m, command.n, command.k) - 1
        elif len(state.finished) >= self.in_flight:
            # The entry of the command so many places before is free one cycle after the user has taken its answer.
            pushed = max(pushed, state.timings[len(state.finished) - self.in_flight].offered + 1)
        if command.point != state.point and state.finished:
            pushed = max(pushed, state.finished[-1] + 1)
        state.point = command.point
        visible = pushed + 1
        by_turns = command.dataflow == "os" and self.add_latency > 1
        stream_taken = max(visible, state.tile_started if by_turns else state.streamed)
        go = stream_taken + by_turns
        for earlier in command.after:
            if state.finished[earlier] > pushed:
                go = max(go, state.finished[earlier] + 1)
        if by_turns:
            go = max(go, self._load(state, command, visible, stream_taken, pushed) + self.rows)
            state.turns = state.turns or Turns(self.add_latency, self.rows)
            go = state.turns.start(go + 1, steps) - 1
            last_start = state.turns.follow(outer * inner, steps)
        elif command.dataflow == "os":
            if self.seeded:
                go = max(go, self._load(state, command, visible, stream_taken, pushed) + self.rows)
            go = max(go, state.tile_ended + self.rows - steps)
            spacing = self.fold_time(steps)
            last_start = go + 1 + (outer * inner - 1) * spacing
            state.tile_ended = last_start + steps - 1
        else:
            go = max(go, self._load(state, command, visible, stream_taken, pushed) + self.rows)
            spacing = self.fold_time(steps)
            around = max(inner * spacing, self.read_after_write)
            last_start = go + 1 + (outer - 1) * around + (inner - 1) * spacing
        if command.dataflow == "os" and not self.seeded:
            state.load_free = max(visible, state.load_free) + 1
        else:
            state.load_free = state.tile_started = last_start - 1  # the last tile is in the chain by then
        state.loads_like = command.dataflow
        state.pushed = pushed
        state.streamed = last_start + (steps - 1) * (self.add_latency if by_turns else 1)
        finish = self._finish(command.dataflow, state.streamed)
        state.finished.append(finish)
        if self.in_flight == 1:
            taken = finish
        state.timings.append(Timing(taken, go + 1, state.streamed, finish + 1, begun))

    def _load(self, state: _State, command: Gemm, visible: int, stream_taken: int, pushed: int) -> int:
        """The cycle that decides to start the command's first load; its tile is in the chain ``rows`` cycles later."""
        taken = max(visible, state.load_free)
        if command.dataflow == state.loads_like:
            start = max(taken, state.tile_started)
        else:
            idle = taken == stream_taken and taken > state.streamed
            start = taken if idle else max(taken, stream_taken + 1)
        if command.dataflow == "os":
            start = max([start, *(state.finished[e] + 1 for e in command.after if state.finished[e] > pushed)])
        return start

    def _finish(self, dataflow: str, last_step: int) -> int:
        """The cycle at whose end the last word of C is written."""
        operands = 1 + max(self.read_latency("a"), self.read_latency("b"))
        late = self.dataflow == "any" and dataflow == "os"
        foot = last_step + operands + late + self._descent + self.cols + self.pipeline
        drain = self.rows - 1 if dataflow == "os" else 0
        return foot + drain + (not self.seeded) + self.write_latency("c")
