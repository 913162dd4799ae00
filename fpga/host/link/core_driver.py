"""A GEMM core behind a link: codes in, codes out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from amaranth.lib.wiring import In, Out

from tilewright.fpga.host.link.beats import Codes, beat_bytes, from_beats, padded, to_beats
from tilewright.fpga.host.link.link import Link, LinkError
from tilewright.fpga.host.link.wrong_design import WrongDesign, check_same
from tilewright.fpga.tops.identity import UnknownDesign, configuration
from tilewright.fpga.tops.linked_core import PATIENCE, port_bits
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.elaborate import core_parameters
from tilewright.generators.reference.core import Port, ReferenceCore
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.reference.records import Command, Transfer
from tilewright.hdl.numeric import code_format
from tilewright.hdl.systolic.core import GemmCore
from tilewright.hdl.systolic.parameters import Dataflow
from tilewright.hdl.systolic.pinout import Pinout
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, Start, Status, command_layout, completion_layout


class CoreDriver:
    """Products of any size on a core, tile by tile.

    Args:
        link: to the core.
        config: the one that is expected; None: whichever answers.

    Attributes:
        mirror: an interpreter that is told of all loads and commands that have ended well.

    Raises:
        LinkError: nobody answers.
        WrongDesign: another core than ``config`` does, or another design than a core.
    """

    def __init__(self, link: Link, config: SystolicConfig | None = None) -> None:
        self.link = link
        self.config = found = _known(link.identify())
        if config is not None:
            check_same(config, found)
        self.parameters = p = core_parameters(found)
        pinout = Pinout(GemmCore(p))
        into, out = port_bits(pinout, In), port_bits(pinout, Out)
        self.inputs, self.outputs = list(into), list(out)
        self.input_bits, self.output_bits = list(into.values()), list(out.values())
        self.mirror: ReferenceCore | None = None
        self._formats = {"a": code_format(p.a), "b": code_format(p.b), "c": code_format(p.acc)}
        self._lanes = {"a": p.a_memory.lanes * p.vector, "b": p.b_memory.lanes, "c": p.c_memory.lanes}
        link.reset()

    def product(self, a: Codes, b: Codes, start: Codes | None = None, *, dataflow: str = "", point: int = 0) -> Codes:
        """``start + a @ b`` of codes, in the arithmetic of the core.

        Args:
            a, b: M x K and K x N, of any size.
            start: broadcasts to M x N; None: zero.
            dataflow: ``ws``, ``os`` or ``is``; by default the core's, and ``ws`` where it has any.
            point: binary point of windows.
        """
        config = self.config
        (m, k), n = a.shape, b.shape[1]
        flow = Dataflow[(dataflow or (config.dataflow if config.dataflow != "any" else "ws")).upper()]
        begun = np.zeros((m, n), dtype=np.int64) if start is None else np.broadcast_to(start, (m, n))
        result = begun.copy()
        for top in range(0, m if k else 0, config.max_m):
            for left in range(0, n, config.max_n):
                rows, cols = slice(top, top + config.max_m), slice(left, left + config.max_n)
                first = None if start is None else begun[rows, cols]
                result[rows, cols] = self._tile(a[rows], b[:, cols], first, flow, point)
        return result

    def load(self, port: Port, codes: Codes, base: int = 0, region: int = 0) -> None:
        """A matrix of codes to the words from ``base`` on of ``port``: ``a``, ``b``, or ``c`` and its region.

        Raises LinkError where the core refuses.
        """
        lanes, width = self.beat(port)
        rows, cols = codes.shape
        self.tell(f"load_{port}_command", TRANSFER, {"rows": rows, "cols": cols, "base": base, "region": region})
        self.send(f"load_{port}_beats", to_beats(codes, lanes, width), beat_bytes(lanes, width))
        self._answer(f"load_{port}_answer", ANSWER)
        if self.mirror is not None:
            self.mirror.load(port, Transfer(base, rows, cols, region), padded(codes, lanes))

    def command(self, **fields: int) -> None:
        """A command with the fields of `Command`, to its end; those that are not told are 0.

        Raises LinkError where the core refuses, or is silent.
        """
        layout = command_layout(self.parameters)
        told = {name: value for name, value in fields.items() if name in layout.members}
        self.tell("command", layout, told)
        flow = Dataflow(fields.get("dataflow", 0)).name.lower()
        cycles = cycle_model(self.config).cycles(fields["m"], fields["n"], fields["k"], flow)
        self._answer("completion", completion_layout(self.parameters), cycles)
        if self.mirror is not None:
            names = (field.name for field in dataclasses.fields(Command))
            self.mirror.command(Command(**{name: fields.get(name, 0) for name in names}))
            self.mirror.in_flight.clear()

    def read(self, rows: int, cols: int, base: int = 0, region: int = 0) -> Codes:
        """Codes of a matrix of C, rows x cols. Raises LinkError where the core refuses."""
        lanes, fmt = self._lanes["c"], self._formats["c"]
        self.tell("read_c_command", TRANSFER, {"rows": rows, "cols": cols, "base": base, "region": region})
        data = self.take("read_c_beats", rows * -(-cols // lanes), beat_bytes(lanes, fmt.width))
        self._answer("read_c_answer", ANSWER)
        return from_beats(data, (rows, cols), lanes, fmt)

    def beat(self, port: str) -> tuple[int, int]:
        """Values of a beat of port ``a``, ``b`` or ``c``, and bits of each."""
        return self._lanes[port], self._formats[port].width

    def tell(self, port: str, layout: Any, fields: Mapping[str, int]) -> None:
        """A record to a port; of its fields those that are not told are 0, and any may have a value without a name."""
        size, word = -(-layout.size // 8), 0
        for name, field in layout:
            word |= (int(fields.get(name, 0)) & (1 << field.width) - 1) << field.offset
        self.send(port, word.to_bytes(size, "little"), size)

    def send(self, port: str, data: bytes, size: int) -> None:
        """Beats of ``size`` bytes to a port."""
        self.link.write(self.inputs.index(port), data, size)

    def take(self, port: str, beats: int, size: int) -> bytes:
        """So many beats from a port. Raises LinkError where it has fewer."""
        return self.link.read(self.outputs.index(port), beats, size)

    def hear(self, port: str, layout: Any, cycles: int = 0) -> Any:
        """An answer that comes after so many cycles; a port that is asked gives up after `PATIENCE`.

        Raises LinkError where there is none.
        """
        size = -(-layout.size // 8)
        for _ in range(cycles // PATIENCE + 1):
            data = self.link.read_some(self.outputs.index(port), 1, size)
            if data:
                return layout.from_bits(int.from_bytes(data, "little"))
        raise LinkError(f"the core does not answer: {port} is silent after {cycles} cycles")

    def _tile(self, a: Codes, b: Codes, start: Codes | None, dataflow: Dataflow, point: int) -> Codes:
        (m, k), n = a.shape, b.shape[1]
        if start is not None:
            self.load("c", start)
        most = max(1, self.config.max_k // self.config.vector) * self.config.vector
        for begin in range(0, k, most):
            depth = slice(begin, begin + most)
            self.load("a", a[:, depth])
            self.load("b", b[depth])
            goes_on = Start.ZERO if begin == 0 and start is None else Start.ACCUMULATE
            self.command(m=m, n=n, k=b[depth].shape[0], dataflow=dataflow, start=goes_on, point=point)
        return self.read(m, n)

    def _answer(self, port: str, layout: Any, cycles: int = 0) -> None:
        status = self.hear(port, layout, cycles).status
        if status > Status.EMPTY:
            raise LinkError(f"the core refused: {port} tells {Status(status).name}")


def _known(told: bytes) -> SystolicConfig:
    """The configuration of a core that tells ``told``."""
    try:
        return configuration(told)
    except UnknownDesign as error:
        raise WrongDesign(
            f"the link works, but the design behind it is unknown: {error}; load the file of tilewright build"
        ) from None
