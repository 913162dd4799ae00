"""The engine as its user sees it: programs act on memory. Bit-exact, without time, in any order that tokens allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.reference.core import Port, ReferenceCore
from tilewright.generators.reference.engine_box import Elements, codes, elements, gather, scatter
from tilewright.generators.reference.engine_finishing import Finishing, Traffic
from tilewright.generators.reference.engine_machine import EngineError, Machine
from tilewright.generators.reference.engine_records import TOKENS, Entry, Into, Op, read_program
from tilewright.generators.reference.engine_spans import moved_bytes
from tilewright.generators.reference.engine_versions import OwnVersions, Versions
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.hdl.numeric import Format, container_bytes

Integers = NDArray[np.int64]
Moved = Literal["a", "b", "start", "c"]
Slots = dict[str, dict[int, Mapping[str, int]]]
_PORTS: dict[int, Port] = {Into.A: "a", Into.B: "b", Into.C: "c"}
_MOVED: dict[Port, Moved] = {"a": "a", "b": "b", "c": "start"}


class ReferenceEngine:
    """An interpreter of the engine that ``config`` describes, over ``memory``.

    ``run`` without a seed runs instructions one at a time and notes which instruction has written what each of them
    reads. A run with a seed lets the sequencers go on in a random order that the tokens allow, and must find the
    same: a program whose tokens permit anything else has a race. EngineError tells which instruction does what no
    program may: a deadlock, a race, words or bytes that do not exist or were never written, a command
    that the core refuses.

    Args:
        config: the engine.
        memory: bytes, address 0 first; changed by stores.
        make_core: makes what runs commands and holds scratchpads, anew for each run and core.
    """

    def __init__(
        self,
        config: EngineConfig,
        memory: NDArray[np.uint8],
        make_core: Callable[[EngineConfig], ReferenceCore] = ReferenceCore,
    ) -> None:
        self.config, self.memory, self._make_core = config, memory, make_core
        self.traffic = Traffic()
        self._all_versions = Versions()
        self._clear()

    def run(self, program: ArrayLike, seed: int | None = None) -> Traffic:
        """Runs ``program``, 64 bytes an instruction; tells what it has moved. Scratchpads begin undefined."""
        entries = read_program(program)
        self.traffic = Traffic(program=64 * len(entries))
        self._clear()
        self._all_versions.begin(sequential=seed is None)
        wrong = [entry for entry in entries if entry.core >= self.config.cores and self.config.cores > 1]
        if wrong:
            raise EngineError(f"{wrong[0]} is for a core that the engine does not have")
        if self.config.cores == 1:  # which does not look at it
            entries = [entry._replace(core=0) for entry in entries]
        machine = Machine(self._act, self._may_act, self.config.cores)
        machine.run(entries, seed)
        left = [at % TOKENS for at, count in enumerate(machine.tokens) if count]
        if left:
            raise EngineError(f"tokens must be taken before the program ends, but token {left[0]} is left")
        return self.traffic

    def check(self, program: ArrayLike, seeds: range) -> Traffic:
        """Runs ``program`` in order, then with every seed on the memory that it began with; all must do the same."""
        before = self.memory.copy()
        traffic = self.run(program)
        after = self.memory.copy()
        for seed in seeds:
            self.memory[:] = before
            self.run(program, seed)
            if not np.array_equal(self.memory, after):
                raise EngineError(f"the memory depends on the order of the sequencers, seed {seed}")
        return traffic

    def _clear(self) -> None:
        self._cores = [self._fresh(core) for core in range(self.config.cores)]
        self._choose(0)

    def _fresh(self, core: int) -> tuple[ReferenceCore, Slots, OwnVersions, Finishing]:
        """What belongs to a core, as it is when a run begins."""
        versions = OwnVersions(self._all_versions, core)
        finishing = Finishing(self.config, self.memory, versions, self.traffic)
        return self._make_core(self.config), {"load": {}, "store": {}}, versions, finishing

    def _choose(self, core: int) -> None:
        """What acts now is a core's."""
        self.core, self.slots, self._versions, self._finishing = self._cores[core]

    def _act(self, entry: Entry) -> None:
        self._choose(entry.core)
        fields = entry.fields
        if entry.op == Op.LOAD_TENSOR:
            self.slots["load"][fields["slot"]] = fields
        elif entry.op == Op.STORE_TENSOR:
            self.slots["store"][fields["slot"]] = fields
        elif entry.op == Op.FINISH:
            self._finishing.fields = fields
        elif entry.op == Op.GEMM:
            self._command(entry)
        elif entry.op == Op.LOAD:
            self._load(entry)
        elif entry.op == Op.STORE:
            self._store(entry)

    def _may_act(self, entry: Entry) -> bool:
        """A store waits for the matrix that is added to its results, which no token tells of."""
        self._choose(entry.core)
        return entry.op != Op.STORE or not entry.fields["target"] or self._finishing.complete

    def _format(self, port: Port) -> Format:
        return {"a": self.config.a, "b": self.config.b, "c": self.config.acc}[port]

    def _elements(self, entry: Entry, kind: str, value_bytes: int) -> Elements:
        """Where the values of a box lie; those in memory must be there."""
        slot = entry.fields["slot"]
        if slot not in self.slots[kind]:
            raise EngineError(f"{entry} moves a matrix of tensor {slot}, which no instruction has described")
        found = elements(self.slots[kind][slot], entry.fields, value_bytes, self.config.address_bits)
        last = int(np.where(found.inside, found.address, 0).max(initial=0)) + value_bytes
        if last > len(self.memory):
            raise EngineError(f"{entry} reaches byte {last - 1:#x}, the memory has {len(self.memory):#x}")
        return found

    def _transfer(self, entry: Entry) -> Transfer:
        fields = entry.fields
        return Transfer(fields["base"], fields["rows"], fields["cols"], fields["region"])

    def _accepted(self, entry: Entry, status: Status) -> None:
        if status != Status.OK:
            raise EngineError(f"{entry} is refused by the core: {status.name}")

    def _load(self, entry: Entry) -> None:
        if entry.fields["target"] == Into.CHANNELS:
            self._finishing.load_channels(entry, self._elements(entry, "load", 8))
            return
        if entry.fields["target"] == Into.RESIDUAL:
            size = container_bytes(self.config.result)
            self._finishing.load_residual(entry, self._elements(entry, "load", size), size)
            return
        if entry.fields["target"] == Into.TABLE:
            self._finishing.load_table(entry, self._elements(entry, "load", 1))
            return
        if entry.fields["target"] not in _PORTS:
            raise EngineError(f"{entry} loads to target {entry.fields['target']}, which no engine has")
        port = _PORTS[entry.fields["target"]]
        fmt = self._format(port)
        size = container_bytes(fmt)
        found = self._elements(entry, "load", size)
        raw = gather(self.memory, np.where(found.inside, found.address, 0), size)
        matrix = codes(np.where(found.inside, raw, self.slots["load"][entry.fields["slot"]]["fill"]), fmt)
        if entry.fields["turned"]:
            matrix = self._turned(entry, port, matrix)
        self._versions.reads(entry, ("memory", found.address[found.inside][:, None] + np.arange(size)))
        moved = getattr(self.traffic, _MOVED[port]) + moved_bytes(found, size, self.config)
        setattr(self.traffic, _MOVED[port], moved)
        values = self.core.beat_values(port)
        rows, cols = matrix.shape
        if port == "a":
            self._finishing.sum_rows(entry, matrix)
        wide = np.zeros((rows, -(-cols // values) * values), dtype=np.int64)
        wide[:, :cols] = matrix
        transfer = replace(self._transfer(entry), rows=rows, cols=cols)
        self._accepted(entry, self.core.load(port, transfer, wide.reshape(-1, values)))
        span = self.core.transfer_span(port, transfer)
        self._versions.writes(entry, (f"{port}{transfer.region}", np.arange(span.low, span.high)))

    def _turned(self, entry: Entry, port: Port, matrix: Integers) -> Integers:
        """The transpose, where the engine's transposer has room for it."""
        most = (self.core.beat_values(port), self.config.transposer) if port != "c" else (0, 0)
        if matrix.shape[0] > most[0] or matrix.shape[1] > most[1]:
            rows, cols = matrix.shape
            raise EngineError(f"{entry} turns a matrix of {rows} x {cols}, the largest is {most[0]} x {most[1]}")
        return matrix.T

    def _command(self, entry: Entry) -> None:
        fields = entry.fields
        names = ("m", "n", "k", "dataflow", "start", "a_base", "b_base", "c_base", "bias_base", "region", "point")
        command = Command(**{name: fields[name] for name in names})
        self._accepted(entry, self.core.command_status(command))
        spans = self.core.command_spans(command)
        words = {name: np.arange(span.low, span.high) for name, span in spans.items()}
        region = f"c{command.region}"
        self._versions.reads(entry, ("a0", words["a"]))
        self._versions.reads(entry, ("b0", words["b"]))
        if command.start == Start.BIAS:
            self._versions.reads(entry, (region, words["bias"]))
        elif command.start == Start.ACCUMULATE:
            self._versions.reads(entry, (region, words["c"]))
        self.core.command(command)
        self.core.in_flight.clear()  # whether a transfer comes too early is told by what it finds
        if not self.core.c[command.region].matrix(command.m, command.n, command.c_base)[1].all():
            raise EngineError(f"{entry} reads words that were never written")
        self._versions.writes(entry, (region, words["c"]))

    def _store(self, entry: Entry) -> None:
        fields = entry.fields
        transfer = self._transfer(entry)
        status, readout = self.core.read(transfer)
        self._accepted(entry, status)
        if not readout.origin.all():
            raise EngineError(f"{entry} reads words that were never written")
        span = self.core.transfer_span("c", transfer)
        self._versions.reads(entry, (f"c{transfer.region}", np.arange(span.low, span.high)))
        matrix, fmt = readout.matrix, self.config.acc
        if fields["target"]:
            matrix, fmt = self._finishing.finished(entry, matrix)
        size = container_bytes(fmt)
        stored = entry._replace(fields={**fields, "rows": fields["stored_rows"] or fields["rows"]})
        found = self._elements(stored, "store", size)
        if not found.inside.all():
            raise EngineError(f"{entry} stores values outside the picture")
        scatter(self.memory, found.address, matrix, size)
        self._versions.writes(entry, ("memory", found.address[:, :, None] + np.arange(size)))
        self.traffic.c += moved_bytes(found, size, self.config)
