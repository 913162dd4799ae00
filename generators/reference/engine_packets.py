"""The packets of a program for an engine with AXI4-Stream ports: what a DMA has to send, and where results go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.reference.engine_box import Elements, elements
from tilewright.generators.reference.engine_records import Into, Op, read_program
from tilewright.hdl.numeric import container_bytes

Bytes = NDArray[np.uint8]
CHANNEL_BYTES = 8


@dataclass(frozen=True)
class Piece:
    """``size`` bytes of a packet: those from ``address`` on, or, where it is None, one value ``fill`` after another."""

    address: int | None
    size: int


@dataclass(frozen=True)
class Packet:
    """The packet of a LOAD or a STORE: the rows of its matrix one behind the other, each value in its container.

    Attributes:
        number: place of the instruction in its program.
        rows, cols: of the matrix.
        value_bytes: of a value.
        fill: of a LOAD: the code of values that the tensor does not have.
        after: of a LOAD: how many packets of STOREs, from the first of the program on, must be in memory before it is
            read there.
        places: where the values lie.
    """

    number: int
    rows: int
    cols: int
    value_bytes: int
    fill: int
    after: int
    places: Elements

    @property
    def size(self) -> int:
        """Bytes."""
        return self.rows * self.cols * self.value_bytes

    @cached_property
    def span(self) -> tuple[int, int]:
        """The first address of its values in memory, and the first behind them; of none (0, 0)."""
        found = self.places.address[self.places.inside]
        return (int(found.min()), int(found.max()) + self.value_bytes) if found.size else (0, 0)

    @cached_property
    def bytes(self) -> NDArray[np.int64]:
        """The addresses of all of its bytes in memory."""
        return (self.places.address[self.places.inside].reshape(-1, 1) + np.arange(self.value_bytes)).reshape(-1)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The same as parts of memory, each as long as it can be."""
        address, inside = self.places.address.reshape(-1), self.places.inside.reshape(-1)
        follows = (np.diff(address) == self.value_bytes) & inside[1:] & inside[:-1]
        begins = np.flatnonzero(np.append(True, ~(follows | (~inside[1:] & ~inside[:-1]))))
        sizes = np.diff(np.append(begins, address.size)) * self.value_bytes
        return tuple(
            Piece(int(address[at]) if inside[at] else None, int(size)) for at, size in zip(begins, sizes, strict=True)
        )

    def read(self, memory: Bytes, base: int = 0) -> Bytes:
        """What has to be sent: its bytes, those of ``memory``, which begins at address ``base``."""
        where = np.where(self.places.inside, self.places.address - base, 0)[:, :, None] + np.arange(self.value_bytes)
        filling = np.frombuffer(self.fill.to_bytes(8, "little"), np.uint8)[: self.value_bytes]
        found: Bytes = np.where(self.places.inside[:, :, None], memory[where], filling).astype(np.uint8)
        return found.reshape(-1)

    def write(self, memory: Bytes, data: Bytes, base: int = 0) -> None:
        """Puts what has been received to its places in ``memory``."""
        where = (self.places.address - base)[:, :, None] + np.arange(self.value_bytes)
        values = np.asarray(data, dtype=np.uint8).reshape(self.rows, self.cols, self.value_bytes)
        memory[where[self.places.inside]] = values[self.places.inside]


@dataclass(frozen=True)
class Packets:
    """All packets of a program in their order: ``loads`` to be sent, ``stores`` to be received."""

    loads: tuple[Packet, ...]
    stores: tuple[Packet, ...]

    @property
    def in_order(self) -> Iterator[tuple[bool, Packet]]:
        """All of them in the order of the program, each with whether it is sent.

        Who sends and receives them one by one in this order never waits for ever.
        """
        both = [(True, packet) for packet in self.loads] + [(False, packet) for packet in self.stores]
        return iter(sorted(both, key=lambda each: each[1].number))


def packets(program: ArrayLike, config: EngineConfig) -> Packets:
    """The packets of ``program``, 64 bytes an instruction, up to its END or the end of the list.

    A LOAD or STORE of no rows or columns has none. Raises ValueError where one names a slot that no instruction before
    it has filled.
    """
    slots: dict[tuple[Op, int], Mapping[str, int]] = {}
    loads: list[Packet] = []
    stores: list[Packet] = []
    described = {Op.LOAD: Op.LOAD_TENSOR, Op.STORE: Op.STORE_TENSOR}
    for entry in read_program(program, whole=False):
        fields = dict(entry.fields)
        if entry.op in described.values():
            slots[entry.op, fields["slot"]] = fields
        if entry.op not in described:
            continue
        if entry.op == Op.STORE and fields["stored_rows"]:
            fields["rows"] = fields["stored_rows"]
        if not fields["rows"] or not fields["cols"]:
            continue
        tensor = slots.get((described[entry.op], fields["slot"]))
        if tensor is None:
            raise ValueError(f"{entry} moves a matrix of tensor {fields['slot']}, which no instruction has described")
        size = _value_bytes(config, entry.op, fields["target"])
        places = elements(tensor, fields, size, config.address_bits)
        packet = Packet(entry.number, fields["rows"], fields["cols"], size, tensor["fill"], 0, places)
        if entry.op == Op.STORE:
            stores.append(packet)
        else:
            loads.append(replace(packet, after=_written_before(packet, stores)))
    return Packets(tuple(loads), tuple(stores))


def _value_bytes(config: EngineConfig, op: Op, target: int) -> int:
    if op == Op.STORE:
        return container_bytes(config.result if target else config.acc)
    formats = {Into.A: config.a, Into.B: config.b, Into.C: config.acc}
    return CHANNEL_BYTES if target == Into.CHANNELS else container_bytes(formats.get(Into(target), config.result))


def _written_before(load: Packet, stores: Sequence[Packet]) -> int:
    """How many of ``stores`` must be in memory before ``load`` is read: up to the last one that meets it."""
    low, high = load.span
    for count in range(len(stores), 0, -1):
        first, end = stores[count - 1].span
        if first < high and end > low and np.isin(load.bytes, stores[count - 1].bytes).any():
            return count
    return 0
