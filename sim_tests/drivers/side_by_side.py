"""Many blocks in one build: each keeps its ports, none touches another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from amaranth.hdl import Module, Shape
from amaranth.lib import stream
from amaranth.lib.wiring import In, connect, flipped

from tilewright.generators.emit.cells import models
from tilewright.generators.emit.emitter import Emitter
from tilewright.hdl.structure import Block, place
from tilewright.sim_tests.harness import Build, Result, Run, StreamPort, build
from tilewright.sim_tests.harness.beats import Beats


class SideBySide(Block):
    """Port ``p`` of block ``label`` is port ``label_p``."""

    def __init__(self, blocks: Mapping[str, Block]) -> None:
        self.blocks = dict(blocks)
        super().__init__("", {f"{label}_{port}": member for label, port, member in self.members()})

    def members(self) -> Iterator[tuple[str, str, Any]]:
        """Label, port and member of everything inside."""
        for label, block in self.blocks.items():
            for port, member in block.signature.members.items():
                yield label, port, member

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        for label, block in self.blocks.items():
            m.submodules[label] = place(platform, block)
        for label, port, member in self.members():
            inside, outside = getattr(self.blocks[label], port), getattr(self, f"{label}_{port}")
            if member.is_signature:
                connect(m, *((flipped(outside), inside) if member.flow is In else (inside, flipped(outside))))
            else:
                m.d.comb += inside.eq(outside) if member.flow is In else outside.eq(inside)
        return m


class Bench:
    """A build of several blocks.

    A stream ``s`` of block ``label`` is the stream ``label_s`` of its runs. The other inputs of a block together are
    one stream ``label_in`` that gives them a value each cycle, the outputs ``label_out``. An output
    ``protocol_error`` must stay 0 in every run.
    """

    def __init__(self, top: str, blocks: Mapping[str, Block], *, cocotb: bool = False) -> None:
        self.blocks, self.top = dict(blocks), top
        emitter = Emitter(top)
        side_by_side = SideBySide(blocks)
        emitter.emit(side_by_side)
        modules = emitter.modules()
        sources = {f"{module.name}.v": module.text for module in modules} | models(modules)
        streams: list[StreamPort] = []
        zeros: list[tuple[str, int]] = []
        plain: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for label, port, member in side_by_side.members():
            name, direction = f"{label}_{port}", "in" if member.flow is In else "out"
            if member.is_signature and isinstance(member.signature, stream.Signature):
                width = Shape.cast(member.signature.members["payload"].shape).width
                payload = ((f"{name}__payload", width),)
                streams.append(StreamPort(name, direction, payload, f"{name}__valid", f"{name}__ready"))  # type: ignore[arg-type]
            elif port == "protocol_error":
                zeros.append((name, 1))
            else:
                plain.setdefault((label, direction), []).append((name, Shape.cast(member.shape).width))
        for (label, direction), ports in plain.items():
            streams.append(StreamPort(f"{label}_{direction}", direction, tuple(ports), None, None))  # type: ignore[arg-type]
        self.build: Build = build(sources, top, streams, zeros=zeros, cocotb=cocotb)

    def run(self, seed: int = 1) -> Run:
        """A run in which the outputs without handshake may do what they like."""
        run = Run(self.build, seed)
        for port in self.build.interface.streams:
            if port.direction == "out" and port.valid is None:
                run.expect(port.name, None)
        return run

    def drive(self, run: Run, label: str, inputs: Mapping[str, Sequence[int]]) -> Run:
        """Gives inputs of ``label`` a value each cycle from cycle 0 on; those not named are 0."""
        port = self._port(f"{label}_in")
        cycles = max(len(values) for values in inputs.values())
        beats = [0] * cycles
        for name, values in inputs.items():
            offset, width = port.field(f"{label}_{name}")
            for cycle, value in enumerate(values):
                beats[cycle] |= (int(value) & ((1 << width) - 1)) << offset
        return run.send(port.name, beats_of(beats, port.bits))

    def wiggle(self, label: str, inputs: Mapping[str, Sequence[int]], *, seed: int = 1) -> dict[str, list[int]]:
        """Runs one block without streams: what each output was in each cycle of ``inputs``, as unsigned numbers.

        An output that depends on an input without a register shows it in the same cycle.
        """
        cycles = max(len(values) for values in inputs.values())
        run = self.drive(self.run(seed), label, inputs).expect(f"{label}_out", cycles)
        return self.outputs(run.execute(), label)

    def outputs(self, result: Result, label: str) -> dict[str, list[int]]:
        """The outputs without handshake of ``label``, by port."""
        port = self._port(f"{label}_out")
        beats = integers(result[port.name].beats)
        found = {}
        for name, width in port.signals:
            offset = port.field(name)[0]
            found[name.removeprefix(f"{label}_")] = [beat >> offset & ((1 << width) - 1) for beat in beats]
        return found

    def payloads(self, values: Iterable[int], stream_name: str) -> Beats:
        """``values`` as beats of a stream."""
        return beats_of(values, self._port(stream_name).bits)

    def _port(self, name: str) -> StreamPort:
        return self.build.interface.streams[self.build.interface.index(name)]


def beats_of(values: Iterable[int], bits: int) -> Beats:
    """One beat of ``bits`` bits for each value."""
    size = -(-bits // 32) * 4
    raw = b"".join(int(value).to_bytes(size, "little") for value in values)
    return np.frombuffer(raw, dtype="<u4").astype(np.uint32).reshape(-1, size // 4)


def integers(beats: Beats) -> list[int]:
    """The inverse of `beats_of`."""
    return [int.from_bytes(np.ascontiguousarray(beat, dtype="<u4").tobytes(), "little") for beat in beats]
