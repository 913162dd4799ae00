"""Random programs of loads, commands and read-outs on a core behind a link, held against the reference interpreter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilewright.fpga.host.link.beats import beat_bytes, beat_fields, padded, to_beats
from tilewright.fpga.host.link.core_driver import CoreDriver
from tilewright.fpga.host.link.core_steps import PORTS, CoreSteps
from tilewright.fpga.host.selftest_failed import SelftestFailed
from tilewright.generators.reference.core import Port, ReferenceCore
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.reference.records import Command, Dataflow, Status, Transfer
from tilewright.generators.reference.scratchpad import Origin, Span
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, command_layout, completion_layout

_MOST_BEATS = {"a": 24, "b": 24, "c": 8}
"""Of a transfer of a program; to fill a memory takes more."""
PART = 160
"""Words at either end of a deep memory that are filled."""


@dataclass
class Counts:
    """What a program has done so far; ``refusals``: commands and transfers that ended with another status than OK."""

    commands: int = 0
    transfers: int = 0
    refusals: int = 0


class CoreTest:
    """Does one random thing after the other with a core, and compares every answer and every word that is defined.

    Args:
        driver: of the core; from now on it keeps the interpreter told, so that products may come in between.
        rng: what is done.

    Attributes:
        counts: so far.
    """

    def __init__(self, driver: CoreDriver, rng: np.random.Generator) -> None:
        self.driver, self.rng, self.counts = driver, rng, Counts()
        self.model = driver.mirror = ReferenceCore(driver.config)
        self._steps = CoreSteps(self.model, rng)
        self._last: tuple[int, Span] | None = None

    def fill(self) -> None:
        """Loads the words of all memories; of deep ones the first and the last of them."""
        for port in PORTS:
            slots = self.driver.config.vector if port == "b" else 1
            for tall, region, base, words in self._pieces(port):
                width = self.model.beat_values(port)
                shape = (words * slots, width) if tall else (slots, words * width)
                self._load(port, Transfer(base, *shape, region))

    def look(self) -> None:
        """Reads the words of C; of deep memories the first and the last of them."""
        lanes = self.model.beat_values("c")
        for wide, region, base, words in self._pieces("c"):
            self._read(Transfer(base, *((1, words * lanes) if wide else (words, lanes)), region))

    def sweep(self) -> None:
        """Commands and transfers that differ from legal ones in a bit, for all bits of what tells sizes and places.

        Not those that are legal, too, but long.
        """
        for command, port, transfer in self._steps.bits():
            if command is not None:
                self._command(command)
            elif transfer is not None:
                long = self.model.beats(port, transfer.rows, transfer.cols) > 2 * _MOST_BEATS[port]
                if long and self.model.transfer_status(port, transfer) == Status.OK:
                    continue
                if port == "c" and self.rng.random() < 0.5:
                    self._read(transfer)
                else:
                    self._load(port, transfer)

    def beyond(self, port: Port) -> None:
        """More answers are asked for than there are."""
        name, tag = f"load_{port}_answer", int(self.rng.integers(256))
        self.driver.tell(f"load_{port}_command", TRANSFER, {"tag": tag})
        found = self.driver.link.read_some(self.driver.outputs.index(name), 2, 2)
        if found != bytes((Status.EMPTY, tag)):
            raise SelftestFailed(f"{name} gave {found.hex()} where two answers were asked for, expected 01{tag:02x}")

    def step(self) -> None:
        """One command with a look at what it wrote, one transfer, or a reset amid one of them."""
        kind = self.rng.choice(("command", "load", "odd load", "length", "read", "odd read", "reset"), p=_SHARES)
        port = PORTS[int(self.rng.integers(len(PORTS)))]
        if kind == "command":
            self._command(self._steps.command())
        elif kind in ("load", "length"):
            self._load(port, self._steps.transfer(port, _MOST_BEATS[port]), other=kind == "length")
        elif kind == "odd load":
            self._load(port, self._steps.odd_transfer(port))
        elif kind == "read":
            self._look_somewhere()
        elif kind == "odd read":
            self._read(self._steps.odd_transfer("c"))
        else:
            self._reset_amid(port)

    def _pieces(self, port: Port) -> Iterator[tuple[bool, int, int, int]]:
        """(Whether as one column rather than one row, region, first word, words) of what covers a memory."""
        pad = getattr(self.driver.config.scratchpads, port)
        part = pad.words if pad.words <= 2 * PART else PART
        for region in range(pad.regions):
            for base in sorted({0, pad.words - part}):
                yield (region == 0) == (port == "b"), region, base, part

    def _command(self, command: Command) -> None:
        layout, driver = command_layout(self.driver.parameters), self.driver
        tag = int(self.rng.integers(256))
        fields = {name: int(value) for name, value in vars(command).items() if name in layout.members}
        driver.tell("command", layout, fields | {"tag": tag})
        status = self.model.command(command)
        self.model.in_flight.clear()
        expected: dict[str, int] = {"status": status, "tag": tag}
        cycles = 0
        if status == Status.OK:
            expected |= self._flags(command)
            flow = Dataflow(command.dataflow).name.lower()
            cycles = cycle_model(driver.config).cycles(command.m, command.n, command.k, flow)
        self.counts.commands += 1
        self._compare(f"{command}", "completion", completion_layout(driver.parameters), expected, cycles)
        if status == Status.OK:
            self._last = command.region, self.model.command_spans(command)["c"]
            self._look_at(*self._last)

    def _flags(self, command: Command) -> dict[str, int]:
        try:
            return self.model.flag_counts(command)
        except ValueError:  # of values that were never loaded
            return {}

    def _load(self, port: Port, transfer: Transfer, *, other: bool = False) -> None:
        """A load; with another number of beats than announced if ``other``."""
        status = self.model.transfer_status(port, transfer)
        lanes, width = self.driver.beat(port)
        shape, beats = (transfer.rows, transfer.cols), self.model.beats(port, transfer.rows, transfer.cols)
        if status == Status.EMPTY:
            shape = 0, lanes
        elif status != Status.OK:
            shape = int(self.rng.integers(1, 4)), lanes
        elif other:
            fewer = beats > 1 and self.rng.random() < 0.5
            shape = int(self.rng.integers(1, beats) if fewer else self.rng.integers(1, 4) + beats), lanes
        codes = self._steps.codes(getattr(self.driver.config, "acc" if port == "c" else port), shape)
        tag = int(self.rng.integers(256))
        self.driver.tell(f"load_{port}_command", TRANSFER, vars(transfer) | {"tag": tag})
        self.driver.send(f"load_{port}_beats", to_beats(codes, lanes, width, self.rng), beat_bytes(lanes, width))
        expected = {"status": self.model.load(port, transfer, padded(codes, lanes)), "tag": tag}
        self.counts.transfers += 1
        what = f"load_{port} {transfer}, {shape[0]} x {shape[1]} values sent"
        self._compare(what, f"load_{port}_answer", ANSWER, expected)

    def _read(self, transfer: Transfer) -> None:
        lanes, width = self.driver.beat("c")
        size, tag = beat_bytes(lanes, width), int(self.rng.integers(256))
        self.driver.tell("read_c_command", TRANSFER, vars(transfer) | {"tag": tag})
        status, readout = self.model.read(transfer)
        data = self.driver.take("read_c_beats", len(readout.values), size)
        found, keep, last = beat_fields(data, lanes, width)
        self.counts.transfers += 1
        what = f"read_c {transfer}"
        expected = readout.values & ((1 << width) - 1)
        known = readout.origin != Origin.UNDEFINED
        self._same(f"{what}, values", np.where(known, found, 0), np.where(known, expected, 0))
        self._same(f"{what}, keep", keep, readout.keep)
        self._same(f"{what}, last", last, np.arange(len(last)) == len(last) - 1)
        self._compare(what, "read_c_answer", ANSWER, {"status": status, "tag": tag})

    def _look_somewhere(self) -> None:
        """At what the last command wrote, or anywhere."""
        pad = self.driver.config.scratchpads.c
        if self._last is not None and self.rng.random() < 0.3:
            self._look_at(*self._last)
        else:
            self._look_at(int(self.rng.integers(pad.regions)), Span(0, pad.words))

    def _look_at(self, region: int, span: Span) -> None:
        self._read(self._steps.view(region, span, _MOST_BEATS["c"]))

    def _reset_amid(self, port: Port) -> None:
        """Part of something, and a reset: it is forgotten; what it would have written is undefined."""
        kind = self.rng.choice(("load", "command", "read", "answer"))
        driver = self.driver
        if kind == "command":
            command = self._steps.command()
            layout = command_layout(driver.parameters)
            driver.tell("command", layout, {n: int(v) for n, v in vars(command).items() if n in layout.members})
            self.model.command(command)
        elif kind == "load":
            transfer = self._steps.transfer(port, _MOST_BEATS[port])
            lanes, width = driver.beat(port)
            beats = int(self.rng.integers(self.model.beats(port, transfer.rows, transfer.cols) + 1))
            driver.tell(f"load_{port}_command", TRANSFER, vars(transfer))
            codes = np.zeros((beats, lanes), dtype=np.int64)
            size = beat_bytes(lanes, width)
            driver.send(f"load_{port}_beats", to_beats(codes, lanes, width)[: max(0, beats * size - 1)], size)
            span = self.model.transfer_span(port, transfer)
            memory = {"a": self.model.a, "b": self.model.b, "c": self.model.c[transfer.region]}[port]
            memory.origin[span.low : span.high] = Origin.UNDEFINED
        elif kind == "read":
            driver.tell("read_c_command", TRANSFER, vars(self._steps.transfer("c", _MOST_BEATS["c"])))
            driver.take("read_c_beats", 1, beat_bytes(*driver.beat("c")))
        else:
            driver.tell(f"load_{port}_command", TRANSFER, {"tag": int(self.rng.integers(256))})
        driver.link.reset()
        self.model.reset()

    def _compare(self, what: str, port: str, layout: Any, expected: Mapping[str, int], cycles: int = 0) -> None:
        """An answer, as a whole."""
        answer = self.driver.hear(port, layout, cycles)
        found = {name: int(getattr(answer, name)) for name in expected}
        self.counts.refusals += expected["status"] != Status.OK
        if found != expected:
            raise SelftestFailed(f"{what}: {port} is {_told(found)}, expected {_told(expected)}")

    @staticmethod
    def _same(what: str, found: Any, expected: Any) -> None:
        wrong = np.argwhere(found != expected)
        if len(wrong):
            at = tuple(int(place) for place in wrong[0])
            raise SelftestFailed(
                f"{what}: {len(wrong)} of {found.size} are wrong; beat {at[0]}{f', lane {at[1]}' if at[1:] else ''} "
                f"is {int(found[at])}, expected {int(expected[at])}"
            )


_SHARES = (0.42, 0.13, 0.12, 0.08, 0.1, 0.08, 0.07)


def _told(fields: Mapping[str, int]) -> str:
    names = {name: Status(value).name if name == "status" and value in list(Status) else value
             for name, value in fields.items()}  # fmt: skip
    return ", ".join(f"{name} {value}" for name, value in names.items())
