"""The engine's three sequencers, its tokens and its fetching: what may happen next, and in which order it does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tilewright.generators.reference.engine_records import TOKENS, Entry, Op

QUEUE_DEPTH = 8
TOKEN_LIMIT = 63
SEQUENCERS = {
    Op.LOAD_TENSOR: "load",
    Op.LOAD: "load",
    Op.GEMM: "compute",
    Op.FINISH: "store",
    Op.STORE_TENSOR: "store",
    Op.STORE: "store",
}
IN_FLIGHT = {"load": 4, "compute": 4, "store": 4}
"""Instructions of a queue that have started and not ended, at most."""

_SPREAD = 2.0  # of the logarithm of how likely kinds of events are: some runs starve one queue, some rush another


class EngineError(Exception):
    """A program that does what no program may do."""


class Deadlock(EngineError):
    """Nothing can go on. The message says who waits for which tokens."""


@dataclass
class _Queue:
    """Instructions that wait, and those that have started: the first ``acted`` of them have had their effect."""

    waiting: deque[Entry] = field(default_factory=deque)
    started: deque[Entry] = field(default_factory=deque)
    acted: int = 0


class Machine:
    """Runs a program; effects are left to ``act``.

    An instruction starts when the tokens that it waits for are there, has its effect some time after that, and gives
    its tokens some time after its effect; each of the three in the order of its queue. Without a seed instructions
    run one at a time in the order of the program; with one, anything that may happen next does so at random. Each
    core has queues and tokens of its own; a BARRIER is passed when nothing is left in any.

    Attributes:
        tokens: counts, those of each core behind those of the one before.
    """

    def __init__(self, act: Callable[[Entry], None], may_act: Callable[[Entry], bool], cores: int = 1) -> None:
        self._act, self._may_act, self.cores = act, may_act, cores
        self.tokens = [0] * TOKENS * cores

    def run(self, program: Sequence[Entry], seed: int | None = None) -> None:
        """Raises Deadlock, or EngineError for a counter above 63."""
        self.tokens = [0] * TOKENS * self.cores
        if seed is None:
            self._in_order(program)
        else:
            self._at_random(program, np.random.default_rng(seed))

    def _in_order(self, program: Sequence[Entry]) -> None:
        for entry in program:
            if entry.op == Op.END:
                return
            if entry.op == Op.BARRIER:
                continue
            if not self._ready(entry):
                raise Deadlock(f"the order of the program is not a legal one: {self._complaint(entry)}")
            self._take(entry)
            self._act(entry)
            self._give(entry)

    def _at_random(self, program: Sequence[Entry], random: np.random.Generator) -> None:
        queues = {(core, name): _Queue() for core in range(self.cores) for name in IN_FLIGHT}
        likely = {
            (name, kind): float(np.exp(random.normal(0.0, _SPREAD)))
            for name in queues
            for kind in ("fetch", "start", "act", "end")
        }
        fetched = 0
        while True:
            events = [(name, kind) for name, queue in queues.items() for kind in self._events(name, queue)]
            entry = program[fetched]
            if entry.op == Op.BARRIER:
                if not any(queue.waiting or queue.started for queue in queues.values()):
                    fetched += 1
                    continue
            elif entry.op != Op.END and len(queues[_queue(entry)].waiting) < QUEUE_DEPTH:
                events.append((_queue(entry), "fetch"))
            if not events:
                break
            weights = np.cumsum([likely[event] for event in events])
            name, kind = events[int(np.searchsorted(weights, random.random() * weights[-1], side="right"))]
            queue = queues[name]
            if kind == "fetch":
                queue.waiting.append(entry)
                fetched += 1
            elif kind == "start":
                self._take(queue.waiting[0])
                queue.started.append(queue.waiting.popleft())
            elif kind == "act":
                self._act(queue.started[queue.acted])
                queue.acted += 1
            else:
                self._give(queue.started.popleft())
                queue.acted -= 1
        heads = [queue.waiting[0] for queue in queues.values() if queue.waiting]
        if heads:
            raise Deadlock("; ".join(self._complaint(head) for head in heads))
        stuck = [queue.started[queue.acted] for queue in queues.values() if queue.acted < len(queue.started)]
        if stuck:
            raise Deadlock(f"{stuck[0]} waits for a matrix to be added that is never loaded")

    def _events(self, name: tuple[int, str], queue: _Queue) -> list[str]:
        """What may happen to a queue."""
        found = []
        if queue.waiting and len(queue.started) < IN_FLIGHT[name[1]] and self._ready(queue.waiting[0]):
            found.append("start")
        if queue.acted < len(queue.started) and self._may_act(queue.started[queue.acted]):
            found.append("act")
        if queue.acted:
            found.append("end")
        return found

    def _ready(self, entry: Entry) -> bool:
        return all(count or not entry.waits >> token & 1 for token, count in enumerate(self._own(entry)))

    def _own(self, entry: Entry) -> list[int]:
        """The counts of the entry's core."""
        return self.tokens[entry.core * TOKENS : (entry.core + 1) * TOKENS]

    def _take(self, entry: Entry) -> None:
        for token in range(TOKENS):
            self.tokens[entry.core * TOKENS + token] -= entry.waits >> token & 1

    def _give(self, entry: Entry) -> None:
        for token in range(TOKENS):
            at = entry.core * TOKENS + token
            self.tokens[at] += entry.gives >> token & 1
            if self.tokens[at] > TOKEN_LIMIT:
                raise EngineError(f"{entry} gives token {token}, of which there are {TOKEN_LIMIT} already")

    def _complaint(self, entry: Entry) -> str:
        missing = [str(t) for t, count in enumerate(self._own(entry)) if entry.waits >> t & 1 and not count]
        return f"the {SEQUENCERS[entry.op]} sequencer's {entry} waits for token {', '.join(missing)}"


def _queue(entry: Entry) -> tuple[int, str]:
    """Core and sequencer."""
    return entry.core, SEQUENCERS[entry.op]
