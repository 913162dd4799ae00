from __future__ import annotations

import json
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.addition import Addition
from tilewright.fpga.host.profile import Profile
from tilewright.sim_tests.fpga.host.engines import FLOATS, INTEGERS, accelerator

RNG = np.random.default_rng(2)
A, B = RNG.integers(-128, 128, (37, 50)), RNG.integers(-128, 128, (50, 29))


@pytest.fixture(scope="module")
def profile() -> Iterator[Profile]:
    """Of a product that nothing ran before."""
    with accelerator(INTEGERS) as engine:
        engine.matmul(A, B, bias=np.arange(29), scale=0.01)
        yield engine.profile()


def test_the_parts_of_each_sequencer_add_up_to_the_cycles_and_none_is_negative(profile: Profile) -> None:
    told = profile.to_dict()
    for name, parts in told["sequencers"].items():
        assert list(parts) == ["busy", "wait_token", "wait_bus", "idle"]
        assert sum(parts.values()) == told["cycles"], name
        assert min(parts.values()) >= 0, name
        assert parts["busy"] > 0, name
    assert told["sequencers"]["compute"]["wait_bus"] == 0
    assert json.loads(json.dumps(told)) == told


def test_it_is_printed_as_a_table_and_the_run_in_a_few_lines(profile: Profile) -> None:
    told = str(profile)
    assert f"{profile.cycles:,} cycles" in told and "compute busy" in told and "EngineConfig" not in told
    assert "Instruction(" not in repr(profile.run)


def test_another_tensor_is_among_the_bytes(integers: Accelerator) -> None:
    integers.matmul(A, B, scale=0.01, add=Addition(RNG.integers(-9, 9, (37, 29)), 1.0, 1.0, 1.0))
    told = integers.profile().to_dict()
    assert told["bytes"] == told["predicted_bytes"]


def test_bytes_are_those_that_were_planned_and_cycles_nearly(profile: Profile) -> None:
    told = profile.to_dict()
    assert told["bytes"] == told["predicted_bytes"]
    assert told["bytes"]["fetched"] == 64 * len(profile.run.program)
    # Another latency than the model's, and jitter: the figures stand side by side, they are not the same.
    assert abs(told["cycles"] / told["predicted_cycles"] - 1) < 0.1
    rows = profile.config.rows * profile.config.cols
    assert told["macs"] == 37 * 50 * 29
    assert told["utilisation"] == 37 * 50 * 29 / (rows * told["cycles"])
    assert 0 < told["utilisation"] <= told["array_active"] <= 1


def test_a_stack_is_one_run_and_its_profile_that_of_all_its_products(integers: Accelerator) -> None:
    integers.matmul(np.stack([A, A, A]), B)
    told = integers.profile().to_dict()
    assert told["macs"] == 3 * 37 * 50 * 29
    assert told["bytes"] == told["predicted_bytes"]
    assert all(sum(parts.values()) == told["cycles"] for parts in told["sequencers"].values())


def test_a_convolution_and_floats_have_one_too(integers: Accelerator) -> None:
    integers.conv2d(RNG.integers(-9, 9, (1, 6, 6, 3)), RNG.integers(-9, 9, (3, 3, 3, 4)), padding=1)
    told = integers.profile().to_dict()
    assert told["macs"] == 36 * 27 * 4
    assert told["bytes"]["written"] == told["predicted_bytes"]["written"]
    with accelerator(FLOATS) as floats:
        floats.matmul(np.ones((3, 4)), np.ones((4, 5)))
        assert floats.profile().to_dict()["macs"] == 60


def test_the_table_holds_every_figure(profile: Profile) -> None:
    console = Console(width=100, record=True, file=None, quiet=False)
    with console.capture() as captured:
        console.print(profile)
    lines = [" ".join(line.replace("│", " ").split()) for line in captured.get().splitlines()]
    told = profile.to_dict()
    assert f"cycles {told['cycles']:,} {told['predicted_cycles']:,}" in lines
    assert f"array active, edges too {told['array_active']:.1%}" in lines
    assert f"utilisation, MACs alone {told['utilisation']:.1%}" in lines
    for name, parts in told["sequencers"].items():
        for kind, count in parts.items():
            line = f"{name} {kind.replace('_', ' ')} {count:,} {count / told['cycles']:.1%}"
            assert (line in lines) == (f"{name} {kind}" != "compute wait_bus")
    for kind, count in told["bytes"].items():
        assert f"bytes {kind} {count:,} {told['predicted_bytes'][kind]:,}" in lines


def test_the_picture_is_that_of_the_instructions(profile: Profile) -> None:
    root = ElementTree.fromstring(profile.svg(700))
    titles = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    loads, commands, stores = (sum(title.startswith(word) for title in titles) for word in ("LOAD ", "GEMM ", "STORE "))
    program = [instruction.opcode.name for instruction in profile.run.program]
    assert (loads, commands, stores) == tuple(program.count(name) for name in ("LOAD", "GEMM", "STORE"))
    assert root.get("width") == "700"
    assert profile.svg(700) == profile.svg(700)
