import itertools

import numpy as np
import pytest

from tilewright.hdl.memory import AddressGenerator
from tilewright.sim_tests.harness import Run, Stall
from tilewright.sim_tests.hdl.datapath_bench import bench
from tilewright.sim_tests.hdl.memory.blocks import GENERATORS

EVERY = pytest.mark.parametrize("label", GENERATORS)
PACES = {"full speed": (0.0, Stall()), "random": (0.4, Stall(0.4)), "shy consumer": (0.0, Stall(wait_for_valid=True))}
Command = tuple[int, list[int], list[int]]


def packed(block: AddressGenerator, command: Command) -> int:
    """A command's payload, from the layout."""
    base, counts, strides = command
    layout = block.command_layout
    word: int = base << layout["base"].offset
    for name, values, width in (("counts", counts, block.count_width), ("strides", strides, block.width)):
        for d, value in enumerate(values):
            word |= (value & ((1 << width) - 1)) << layout[name].offset + d * width
    return word


def addresses(block: AddressGenerator, command: Command) -> list[int]:
    """The payloads of nested loops, the plain way."""
    base, counts, strides = command
    found = []
    for index in itertools.product(*(range(count) for count in reversed(counts))):
        at = index[::-1]
        address = base + sum(i * stride for i, stride in zip(at, strides, strict=True))
        ended = [i == count - 1 for i, count in zip(at, counts, strict=True)]
        ends = sum(all(ended[: d + 1]) << d for d in range(block.dims))
        found.append(address % (1 << block.width) | ends << block.width)
    return found


def random_command(block: AddressGenerator, rng: np.random.Generator, *, least: int = 0, most: int = 4) -> Command:
    counts = rng.integers(least, min(most, (1 << block.count_width) - 1) + 1, block.dims).tolist()
    half = 1 << block.width - 1
    return int(rng.integers(2 * half)), counts, rng.integers(-half, half, block.dims).tolist()


def prepared(label: str, commands: list[Command], seed: int = 1, idle: float = 0.0, stall: Stall | None = None) -> Run:
    block = GENERATORS[label]
    wanted = [address for command in commands for address in addresses(block, command)]
    run = bench().run(seed)
    run.send(f"{label}_command", bench().payloads([packed(block, c) for c in commands], f"{label}_command"), stall=idle)
    return run.expect(f"{label}_o", bench().payloads(wanted, f"{label}_o"), stall=stall)


@pytest.mark.parametrize("pace", PACES)
@EVERY
def test_random_loops(label: str, pace: str) -> None:
    rng = np.random.default_rng(len(pace))
    idle, stall = PACES[pace]
    prepared(label, [random_command(GENERATORS[label], rng) for _ in range(30)], 3, idle, stall).execute()


@EVERY
def test_the_longest_loop_in_each_dimension(label: str) -> None:
    block = GENERATORS[label]
    most = (1 << block.count_width) - 1
    commands = []
    for d in range(block.dims):
        counts = [1] * block.dims
        counts[d] = most
        commands.append((5, counts, [3 + d] * block.dims))
    prepared(label, commands).execute()


@EVERY
def test_latency_and_throughput_are_those_of_the_datasheet(label: str) -> None:
    rng = np.random.default_rng(9)
    block = GENERATORS[label]
    commands = [random_command(block, rng, least=2, most=3) for _ in range(10)]
    result = prepared(label, commands).execute()
    taken, given = result[f"{label}_command"].cycle, result[f"{label}_o"].cycle
    assert given[0] - taken[0] == AddressGenerator.latency
    assert set(np.diff(given)) == {1 / AddressGenerator.throughput}


@EVERY
def test_commands_of_one_address_take_two_cycles(label: str) -> None:
    one = [(base, [1] * GENERATORS[label].dims, [1] * GENERATORS[label].dims) for base in range(20)]
    assert set(np.diff(prepared(label, one).execute()[f"{label}_o"].cycle)) == {2}


@EVERY
def test_a_count_of_zero_gives_no_address(label: str) -> None:
    dims = GENERATORS[label].dims
    one: Command = (7, [1] * dims, [1] * dims)
    for d in range(dims):
        counts = [2] * dims
        counts[d] = 0
        empty: Command = (1, counts, [1] * dims)
        result = prepared(label, [one, empty, empty, one]).execute()
        assert np.diff(result[f"{label}_o"].cycle).tolist() == [6]


@EVERY
def test_a_reset_forgets_the_command(label: str) -> None:
    dims = GENERATORS[label].dims
    long: Command = (1, [3] * dims, [1] * dims)
    short: Command = (9, [2] * dims, [5] * dims)
    block = GENERATORS[label]
    run = bench().run()
    run.send(f"{label}_command", bench().payloads([packed(block, long)], f"{label}_command"))
    run.send(f"{label}_command", bench().payloads([packed(block, short)], f"{label}_command"), not_before=12)
    # The first address leaves in cycle 2, the reset comes in cycle 3.
    wanted = addresses(block, long)[:1] + addresses(block, short)
    run.expect(f"{label}_o", bench().payloads(wanted, f"{label}_o")).reset(3).execute()


@pytest.mark.parametrize("dims", [-1, 0, 6])
def test_dims(dims: int) -> None:
    with pytest.raises(ValueError, match=rf"^dims must be 1..5 loops, got {dims}$"):
        AddressGenerator(dims, 8, 8)


def test_widths() -> None:
    with pytest.raises(ValueError, match=r"^width must be at least 1 bit, got 0$"):
        AddressGenerator(1, 0, 8)
    with pytest.raises(ValueError, match=r"^count_width must be at least 1 bit, got 0$"):
        AddressGenerator(1, 8, 0)
