import numpy as np
import pytest

from tilewright.hdl.memory import Ram, TailedRam, ram
from tilewright.sim_tests.hdl.datapath_bench import bench
from tilewright.sim_tests.hdl.memory.blocks import RAMS


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("label", RAMS)
def test_words_lanes_and_held_data(label: str, seed: int) -> None:
    block, rng = RAMS[label], np.random.default_rng(seed)
    words: list[int | None] = [None] * block.depth
    lane_bits = (1 << block.width) - 1
    ports: dict[str, list[int]] = {p: [] for p in block.signature.members if p != "read_data"}
    held: int | None = None
    wanted: list[int | None] = []
    for cycle in range(600 + block.depth):
        enable = int(rng.integers(1 << block.lanes)) if rng.random() < 0.7 else 0
        if cycle < block.depth:
            enable = (1 << block.lanes) - 1
        # Often where a tail begins.
        lowest = max(0, block.depth - 16) if rng.random() < 0.5 else 0
        write, read = (int(rng.integers(lowest, block.depth)) for _ in range(2))
        write = cycle if cycle < block.depth else write
        data = int(rng.integers(1 << block.width * block.lanes))
        # Reading the address that is being written, or one never written, gives undefined data.
        asks = words[read] is not None and not (enable and write == read) and rng.random() < 0.7
        wanted.append(held)
        if asks:
            held = words[read]
        if enable:
            mask = sum(lane_bits << lane * block.width for lane in range(block.lanes) if enable >> lane & 1)
            words[write] = ((words[write] or 0) & ~mask) | (data & mask)
        step = {"write_enable": enable, "write_address": write, "write_data": data, "read_enable": int(asks)}
        for port, value in (step | {"read_address": read}).items():
            ports[port].append(value)
    got = bench().wiggle(label, ports, seed=seed)["read_data"]
    assert sum(value is not None for value in wanted) > 400
    for cycle, known in enumerate(wanted):
        assert known is None or got[cycle] == known, f"cycle {cycle}: expected {known:#x}, got {got[cycle]:#x}"


def test_a_short_tail_is_a_memory_of_its_own() -> None:
    assert {depth: type(ram(depth, 4)) for depth in (512, 513, 576, 577, 1024, 4112)} == {
        512: Ram,
        513: TailedRam,
        576: TailedRam,
        577: Ram,
        1024: Ram,
        4112: TailedRam,
    }


def test_depth() -> None:
    with pytest.raises(ValueError, match=r"^depth must be at least 1 word, got 0$"):
        Ram(0, 8)
