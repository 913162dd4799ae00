"""Random programs for a core: what a user may do, and what he may try."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.core import Port, ReferenceCore
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.hdl.numeric import Format, FxFormat
from tilewright.hdl.numeric.window import LARGEST_POINT
from tilewright.sim_tests.system.data import Matrix, random_matrix, telling_matrix
from tilewright.sim_tests.system.operation_source import HIGHEST_BASE, OperationSource

LARGEST_PIECE = 65_536 // 32  # words of a transfer that covers a part of a memory; 16 values of B each fit 65,535 rows


@dataclass(frozen=True)
class Step:
    """One operation.

    Attributes:
        command: the command, or
        transfer: what a load or read-out announces.
        port: "a", "b", "c" of a load; None of a read-out or command.
        matrix: what is loaded.
        after: earlier steps (their places) whose answers it waits for.
        dares: an earlier command (its place) whose words it touches, and whose completion it does not wait for.
    """

    command: Command | None = None
    transfer: Transfer | None = None
    port: Port | None = None
    matrix: Matrix | None = None
    after: tuple[int, ...] = ()
    dares: int | None = None

    def __str__(self) -> str:
        if self.command is not None:
            return str(self.command)
        kind = f"load_{self.port}" if self.port else "read_c"
        sent = f" of a {' x '.join(map(str, self.matrix.shape))} matrix" if self.matrix is not None else ""
        return f"{kind} {self.transfer}{sent}{f', dares step {self.dares}' if self.dares is not None else ''}"

    @property
    def side(self) -> Port:
        """The memory of a transfer."""
        return self.port or "c"


def pieces(words: int, largest: int = LARGEST_PIECE) -> Iterator[tuple[int, int]]:
    """(first word, words) of what covers a memory; a transfer has at most 65,535 rows."""
    for base in range(0, words, largest):
        yield base, min(largest, words - base)


class Author:
    """Writes programs for one configuration, step by step.

    A careful step waits for exactly the earlier ones whose data it could spoil or miss, so that as much as possible
    happens at once; commands do not wait for commands. Now and then a transfer does not wait for a command that uses
    its words: it is refused, or late enough. A careless step waits for nothing but the first loads, and leaves it to
    the core who has words that several want.

    Attributes:
        careless: the part of the steps that are careless, 0..1.
    """

    def __init__(self, config: SystolicConfig, rng: np.random.Generator) -> None:
        self.config, self.rng = config, rng
        self.rules = ReferenceCore(config)
        self.steps: list[Step] = []
        self._draw = OperationSource(self.rules, rng)
        self.careless = 0.0
        self._filling = 0

    def write(self, length: int) -> list[Step]:
        """A program of ``length`` commands or somewhat more, which ends with a look at all of C."""
        if self.rng.random() < 0.9:
            self.fill()
        self.careless = float(self.rng.choice((0.0, 0.3, 1.0), p=(0.5, 0.2, 0.3)))
        commands = 0
        while commands < length:
            action = self.rng.choice(("command", "illegal", "transfer", "odd"), p=(0.72, 0.08, 0.1, 0.1))
            {"command": self.gemm, "illegal": self.illegal, "transfer": self.transfer, "odd": self.odd}[action]()
            commands += action == "command"
        self.look_at_everything()
        return self.steps

    def fill(self, *, telling: bool = False) -> None:
        """Loads every word of every memory; ``telling``: no product hides what its other factor is."""
        whole: list[tuple[Port, int]] = [("a", 0), ("b", 0), ("c", 0), ("c", 1)]
        for port, region in whole:
            for base, words in pieces(getattr(self.config.scratchpads, port).words):
                rows = words * self.config.vector if port == "b" else words
                step = self.loading(port, Transfer(base, rows, self.rules.beat_values(port), region), telling=telling)
                self.add(step)
        self._filling = len(self.steps)

    def look_at_everything(self) -> None:
        """Reads every word of C: a command must change its own C and nothing else."""
        self.careless = 0.0
        pad = self.config.scratchpads.c
        for region in range(pad.regions):
            for base, words in pieces(pad.words):
                self.add(Step(transfer=Transfer(base, words, pad.lanes, region)))

    def gemm(self) -> None:
        """A legal command, perhaps with its operands loaded before and its result read after."""
        command = self._draw.command(self._last_command())
        if self.rng.random() < 0.3:
            self.load("a", Transfer(command.a_base, command.m, command.k))
        if self.rng.random() < 0.3:
            self.load("b", Transfer(command.b_base, command.k, command.n))
        if command.start != Start.ZERO and self.rng.random() < 0.5:
            bias = command.start == Start.BIAS
            rows, base = (1, command.bias_base) if bias else (command.m, command.c_base)
            self.load("c", Transfer(base, rows, command.n, command.region))
        self.add(Step(command=command))
        if self.rng.random() < 0.25:
            self.dare(len(self.steps) - 1, command)
        if self.rng.random() < 0.5:
            self.add(Step(transfer=Transfer(command.c_base, command.m, command.n, command.region)))

    def dare(self, place: int, command: Command) -> None:
        """A transfer into words of the command at ``place``."""
        kind = self.rng.choice(("a", "b", "c", "bias" if command.start == Start.BIAS else "c", "read"))
        transfer = {
            "a": Transfer(command.a_base, command.m, command.k),
            "b": Transfer(command.b_base, command.k, command.n),
            "bias": Transfer(command.bias_base, 1, command.n, command.region),
        }.get(kind, Transfer(command.c_base, command.m, command.n, command.region))
        if self.rng.random() < 0.5:
            transfer = replace(transfer, rows=1, cols=1)
        if kind == "read":
            self.add(Step(transfer=transfer, dares=place))
        else:
            self.load("c" if kind == "bias" else kind, transfer, dares=place)

    def transfer(self) -> None:
        """A load or read-out of anything."""
        port = self.rng.choice(("a", "b", "c", "read"))
        if port == "read":
            self.add(Step(transfer=self._draw.transfer("c")))
        else:
            self.load(port, self._draw.transfer(port))

    def odd(self) -> None:
        """A transfer that is empty, out of range, or whose beats are too many or too few."""
        port: Port = self.rng.choice(("a", "b", "c"))
        transfer = self._draw.transfer(port)
        kind = self.rng.choice(("empty", "beyond", "huge", "length"))
        if kind == "empty":
            transfer = replace(transfer, **{str(self.rng.choice(("rows", "cols"))): 0})
        elif kind == "huge":
            huge = {"rows": 65535, "cols": 65535, "base": 65535}
            transfer = replace(transfer, **{name: huge[name] for name in self._some(("rows", "cols", "base"))})
        elif kind == "beyond":
            words = getattr(self.config.scratchpads, port).words
            span = self.rules.transfer_span(port, transfer)
            transfer = replace(transfer, base=min(HIGHEST_BASE, transfer.base + words - span.high + 1))
        if kind == "length":
            self._load_of_other_length(port, transfer)
        elif port == "c" and self.rng.random() < 0.5:
            self.add(Step(transfer=transfer))
        else:
            legal = self.rules.transfer_status(port, transfer) == Status.OK
            shape = (transfer.rows, transfer.cols) if legal or kind == "empty" else (2, 3)
            self.load(port, transfer, shape)

    def illegal(self) -> None:
        """A command that must be refused, for one reason or for several."""
        command = self._draw.command(self._last_command())
        faults: dict[str, Callable[[], dict[str, int]]] = {
            "m": lambda: {"m": int(self.rng.choice((0, 65535)))},
            "n": lambda: {"n": int(self.rng.choice((0, 65535)))},
            "k": lambda: {"k": int(self.rng.choice((0, 65535)))},
            "dataflow": lambda: {"dataflow": int(self.rng.choice(self._draw.unknown_dataflows()))},
            "start": lambda: {"start": 3},
            "point": lambda: {"point": int(self.rng.choice((LARGEST_POINT + 1, -LARGEST_POINT - 1)))},
            "a_base": lambda: self._draw.beyond(command, "a"),
            "b_base": lambda: self._draw.beyond(command, "b"),
            "c_base": lambda: self._draw.beyond(command, "c"),
            "bias_base": lambda: self._draw.beyond(command, "bias"),
            "bias in c": lambda: {"start": int(Start.BIAS), "bias_base": command.c_base},
        }
        # Only commands of windows have a binary point, so they err in it more often.
        names = ("point",) if isinstance(self.config.acc, FxFormat) and self.rng.random() < 0.6 else tuple(faults)
        for fault in self._some(names):
            command = replace(command, **faults[fault]())
        if self.rules.command_status(command) != Status.OK:
            self.add(Step(command=command))

    def load(
        self, port: Port, transfer: Transfer, shape: tuple[int, int] | None = None, dares: int | None = None
    ) -> None:
        """Adds a load of random values, of another ``shape`` than announced if one is given."""
        self.add(replace(self.loading(port, transfer, shape), dares=dares))

    def loading(
        self, port: Port, transfer: Transfer, shape: tuple[int, int] | None = None, *, telling: bool = False
    ) -> Step:
        """A load of random values that waits for nothing; ``telling``: see `telling_matrix`."""
        rows, cols = shape or (transfer.rows, transfer.cols)
        formats: dict[str, Format] = {"a": self.config.a, "b": self.config.b, "c": self.config.acc}
        draw = telling_matrix if telling else random_matrix
        return Step(transfer=transfer, port=port, matrix=draw(self.rng, formats[port], rows, cols))

    def add(self, step: Step) -> None:
        """Appends ``step``, to wait for what it must wait for."""
        careless = self.rng.random() < self.careless
        hazards = range(self._filling) if careless else self._hazards(step)
        after = {place for place in hazards if place != step.dares}
        if self.steps and self.rng.random() < 0.15:
            after.add(int(self.rng.integers(len(self.steps))))
        if step.dares is not None:
            # Waiting for that command's completion by way of another step would take the edge off.
            after = {place for place in after if place < step.dares}
        self.steps.append(replace(step, after=tuple(sorted(after))))

    def _hazards(self, step: Step) -> Iterator[int]:
        """Places of the earlier steps whose answers ``step`` needs."""
        for place, earlier in enumerate(self.steps):
            if step.command is not None:
                if earlier.transfer is not None and self._spoils(earlier, step.command):
                    yield place
            elif earlier.command is not None:
                if self._legal(earlier) and self.rules.uses(earlier.command, step.side, self._of(step)):
                    yield place
            elif earlier.side == step.side and (earlier.port or step.port) and self._overlap(earlier, step):
                yield place

    def _spoils(self, earlier: Step, command: Command) -> bool:
        """Whether ``command`` must see what ``earlier`` loads, or must not overwrite what it reads."""
        if not self._legal(earlier) or self.rules.command_status(command) != Status.OK:
            return False
        return self.rules.uses(command, earlier.side, self._of(earlier))

    def _overlap(self, one: Step, other: Step) -> bool:
        if not (self._legal(one) and self._legal(other)) or self._of(one).region != self._of(other).region:
            return False
        spans = [self.rules.transfer_span(step.side, self._of(step)) for step in (one, other)]
        return spans[0].overlaps(spans[1])

    def _legal(self, step: Step) -> bool:
        if step.command is not None:
            return self.rules.command_status(step.command) == Status.OK
        return self.rules.transfer_status(step.side, self._of(step)) == Status.OK

    def _last_command(self) -> Command | None:
        """The latest legal command."""
        legal = (step.command for step in reversed(self.steps) if step.command is not None and self._legal(step))
        return next(legal, None)

    @staticmethod
    def _of(step: Step) -> Transfer:
        assert step.transfer is not None
        return step.transfer

    def _some(self, names: tuple[str, ...]) -> list[str]:
        count = 1 if len(names) == 1 or self.rng.random() < 0.7 else 2
        return [str(name) for name in self.rng.choice(names, count, replace=False)]

    def _load_of_other_length(self, port: Port, transfer: Transfer) -> None:
        """Another matrix than announced: mostly of more or fewer beats, and with other ends of rows."""
        rows = int(self.rng.integers(1, transfer.rows + 4))
        cols = int(self.rng.integers(1, transfer.cols + self.rules.beat_values(port)))
        self.load(port, transfer, (rows, cols))
