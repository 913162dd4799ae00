"""Packets of programs: which bytes, in which order, and what must come before."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.config.engine import EngineConfig, engine_config
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.plan import make_plan
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.generators.reference.engine_packets import Piece, packets
from tilewright.hdl.engine.records import Opcode

CONFIG = engine_config({"rows": 4, "cols": 4, "data_ports": "axi4-stream", "a_words": 64, "b_words": 64, "c_words": 32})
PLAIN = {"tap_x_count": 1, "out_x_count": 65_535, "out_y_count": 1, "x_size": 1, "y_size": 1}


def tensor(opcode: Opcode, slot: int, line: int, pitch: int, **fields: int) -> Instruction:
    return Instruction(opcode, {"slot": slot, "line": line, "out_x_stride": pitch, **PLAIN, **fields})


def box(opcode: Opcode, slot: int, rows: int, cols: int, address: int, **fields: int) -> Instruction:
    return Instruction(opcode, {"slot": slot, "rows": rows, "cols": cols, "address": address, **fields})


def test_rows_lie_one_behind_the_other() -> None:
    """The example of the document: 3 rows of 5 bytes, 16 apart, and 2 results of 4 bytes a row."""
    program = [
        tensor(Opcode.LOAD_TENSOR, 0, 16, 16),
        tensor(Opcode.STORE_TENSOR, 0, 2, 8),
        box(Opcode.LOAD, 0, 3, 5, 0x100),
        box(Opcode.STORE, 0, 2, 2, 0x200),
        Instruction(Opcode.END, {}),
    ]
    found = packets(encode(program), CONFIG)
    (load,), (store,) = found.loads, found.stores
    assert (load.number, load.size, load.after) == (2, 15, 0)
    assert load.pieces == (Piece(0x100, 5), Piece(0x110, 5), Piece(0x120, 5))
    assert (store.number, store.size) == (3, 16)
    assert store.pieces == (Piece(0x200, 16),)
    memory = np.arange(1024).astype(np.uint8)
    assert load.read(memory).tolist() == [0, 1, 2, 3, 4, 16, 17, 18, 19, 20, 32, 33, 34, 35, 36]
    assert load.read(memory[0x100:], 0x100).tolist() == load.read(memory).tolist()
    store.write(memory, np.arange(100, 116, dtype=np.uint8))
    assert memory[0x1FF:0x211].tolist() == [0xFF, *range(100, 116), 0x10]


def test_values_outside_of_the_tensor_are_sent_as_fill() -> None:
    """A picture of one line of 3 pixels with one pixel of padding at each side."""
    picture = tensor(Opcode.LOAD_TENSOR, 1, 1, 1, x_first=-1, x_out_step=1, fill=0x77)
    fields = dict(picture.fields) | {"x_size": 3, "y_size": 1}
    program = [picture._replace(fields=fields), box(Opcode.LOAD, 1, 5, 1, 0x0F, x_row=-1)]
    (load,) = packets(encode(program), CONFIG).loads
    assert load.pieces == (Piece(None, 1), Piece(0x10, 3), Piece(None, 1))
    assert load.read(np.arange(64, dtype=np.uint8)).tolist() == [0x77, 16, 17, 18, 0x77]


def test_containers_of_each_target() -> None:
    program = [tensor(Opcode.LOAD_TENSOR, 0, 64, 64), tensor(Opcode.STORE_TENSOR, 0, 64, 64)]
    program += [box(Opcode.LOAD, 0, 1, 3, 0, target=target) for target in range(5)]
    program += [box(Opcode.STORE, 0, 1, 3, 0, target=target) for target in range(2)]
    found = packets(encode(program), engine_config({"a": "int4", "b": "int12", "acc": "int40", "result": "int10"}))
    assert [packet.value_bytes for packet in found.loads] == [1, 2, 8, 8, 2]
    assert [packet.value_bytes for packet in found.stores] == [8, 2]


def test_empty_ones_have_no_packet_and_pooled_ones_the_rows_that_are_written() -> None:
    program = [tensor(Opcode.LOAD_TENSOR, 0, 8, 8), tensor(Opcode.STORE_TENSOR, 0, 8, 8)]
    program += [box(Opcode.LOAD, 0, 0, 3, 0), box(Opcode.LOAD, 0, 3, 0, 0), box(Opcode.STORE, 0, 0, 1, 0)]
    program += [box(Opcode.STORE, 0, 8, 2, 0, target=1, stored_rows=2)]
    found = packets(encode(program), CONFIG)
    assert found.loads == () and [packet.size for packet in found.stores] == [4]


def test_loads_wait_for_the_stores_whose_bytes_they_read() -> None:
    program = [
        tensor(Opcode.LOAD_TENSOR, 0, 4, 4),
        tensor(Opcode.STORE_TENSOR, 0, 1, 8),
        box(Opcode.LOAD, 0, 2, 4, 0x00),
        box(Opcode.STORE, 0, 2, 1, 0x40),  # bytes 40..43, 48..4b
        box(Opcode.STORE, 0, 1, 1, 0x80),
        box(Opcode.LOAD, 0, 1, 4, 0x40),
        box(Opcode.LOAD, 0, 1, 4, 0x44),  # between the rows of the first store
        box(Opcode.LOAD, 0, 1, 4, 0x83),
        box(Opcode.LOAD, 0, 1, 4, 0x84),
    ]
    found = packets(encode(program), CONFIG)
    assert [packet.after for packet in found.loads] == [0, 1, 0, 2, 0]
    assert [(sent, packet.number) for sent, packet in found.in_order] == [
        (True, 2), (False, 3), (False, 4), (True, 5), (True, 6), (True, 7), (True, 8),
    ]  # fmt: skip


def test_a_slot_that_nothing_has_filled_is_refused() -> None:
    with pytest.raises(ValueError, match=r"instruction 0 \(LOAD\) moves a matrix of tensor 3, which no instruction"):
        packets(encode([box(Opcode.LOAD, 3, 1, 1, 0)]), CONFIG)
    # Loads and stores have slots of their own.
    with pytest.raises(ValueError, match=r"instruction 1 \(STORE\) moves a matrix of tensor 0, which no"):
        packets(encode([tensor(Opcode.LOAD_TENSOR, 0, 1, 1), box(Opcode.STORE, 0, 1, 1, 0)]), CONFIG)


def test_what_follows_end_has_no_packets() -> None:
    program = [tensor(Opcode.LOAD_TENSOR, 0, 8, 8), Instruction(Opcode.END, {}), box(Opcode.LOAD, 0, 1, 1, 0)]
    assert packets(encode(program), CONFIG).loads == ()


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 7, 11), (33, 20, 40)])
def test_packets_carry_all_that_a_program_reads_and_writes(shape: tuple[int, int, int]) -> None:
    """Sent into a memory that has nothing else, and received from what the interpreter makes there, nothing is lost."""
    m, n, k = shape
    rng = np.random.default_rng(shape)
    product = Product(Matrix(0, m, k, 1), Matrix(0x1000, k, n, 1), Matrix(0x2000, m, n, 4))
    program = encode(gemm_program(product, make_plan(product, CONFIG).tiling, CONFIG))
    memory = rng.integers(0, 256, 0x6000, dtype=np.uint8)
    there, here = np.zeros_like(memory), memory.copy()
    found = packets(program, CONFIG)
    for load in found.loads:
        load.write(there, load.read(here))
    run(CONFIG, there, program)
    for store in found.stores:
        store.write(here, store.read(there))
    run(CONFIG, memory, program)
    assert np.array_equal(here, memory)


def run(config: EngineConfig, memory: np.ndarray, program: np.ndarray) -> None:
    ReferenceEngine(config, memory).run(program)
