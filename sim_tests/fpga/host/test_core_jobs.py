"""An engine of several cores gives the results of one core, bit for bit, and its profile tells of each core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.addition import Addition
from tilewright.fpga.host.finishing import ending
from tilewright.fpga.host.run_failed import RunFailed
from tilewright.generators.program.encode import encode
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.tiling import Tiling
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.records import Opcode
from tilewright.sim_tests.fpga.host.engines import refuses

RNG = np.random.default_rng(3)


def numbers(*shape: int, most: int = 128) -> NDArray[np.int64]:
    return RNG.integers(-most, most, shape)


SCALES = RNG.uniform(0.001, 0.01, 10)
WEIGHT, PICTURE = numbers(3, 3, 2, 4), numbers(1, 8, 6, 2)
A, B, BIAS, OLD = numbers(17, 11), numbers(11, 10), numbers(10, most=1000), numbers(17, 10, most=1000)
SUM = Addition(numbers(17, 10), 0.02, 0.013, 0.03, zero=4, sum_zero=-3)

CALLS: dict[str, Callable[[Accelerator], NDArray[Any]]] = {
    "raw": lambda e: e.matmul(A, B),
    "one": lambda e: e.matmul(A[:1, :1], B[:1, :1]),
    "row": lambda e: e.matmul(A[:1], B),
    "column": lambda e: e.matmul(A, B[:, :1]),
    "start": lambda e: e.matmul(A, B, c=OLD),
    "relu": lambda e: e.matmul(A, B, bias=BIAS, scale=0.003, zero_point=-7, activation="relu"),
    "channels": lambda e: e.matmul(A, B, bias=BIAS, scale=SCALES, zero_point=5),
    "zeros": lambda e: e.matmul(A, B, bias=BIAS, scale=0.003, a_zero=3, b_zero=-9),
    "sum": lambda e: e.matmul(A, B, scale=0.004, add=SUM),
    "linear": lambda e: e.linear(A, B.T, BIAS, scale=SCALES),
    "stack of one": lambda e: e.matmul(A[None], B),
    "stack of a wave": lambda e: e.matmul(np.stack([A, A + 1, -A]) // 2, B),
    "stack with a tail": lambda e: e.matmul(np.stack([A, A // 2, A // 3, A // 4, A // 5]), np.stack([B] * 5)),
    "convolution": lambda e: e.conv2d(PICTURE, WEIGHT, padding=1, a_zero=2),
    "strided": lambda e: e.conv2d(PICTURE, WEIGHT, stride=(2, 1), padding=((1, 0), (2, 1)), dilation=(1, 2)),
    "pooled": lambda e: e.conv2d(PICTURE, WEIGHT, padding=1, scale=0.002, pool=True),
    "pooled channels": lambda e: e.conv2d(PICTURE, WEIGHT, padding=1, scale=SCALES[:4], pool=True, activation="relu"),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_do_not_depend_on_cores(integers: Accelerator, cores: Accelerator, name: str) -> None:
    wanted, found = CALLS[name](integers), CALLS[name](cores)
    assert wanted.dtype == found.dtype
    np.testing.assert_array_equal(found, wanted)
    assert found.size and cores.last is not None
    used = {i.core for i in cores.last.program if i.opcode == Opcode.GEMM}
    assert len(used) == 1 if name == "one" else len(used) >= 2


def test_products_that_need_each_other_in_one_program(cores: Accelerator) -> None:
    """The second product's A is the first one's result, which other cores have stored."""
    a, b, c = numbers(9, 11, most=9), numbers(11, 9, most=9), numbers(9, 5, most=9)
    cores.begin()
    left, right, last = (cores.temporary(name, codes, cores.config.a) for name, codes in (("a", a), ("b", b), ("c", c)))
    first = cores.job(left.view, right.view, ending(cores.config, 9, 0.25, 0, None, False, None))
    raw = ending(cores.config, 5, None, 0, None, False, None)
    second = cores.job(first.result.view, last.view, raw, after_stores=True)
    run = cores.run_jobs([first, second])
    middle = np.clip(np.rint(a @ b / 4), -128, 127).astype(int)
    assert np.array_equal(cores.fetch(first.result), middle)
    assert np.array_equal(cores.fetch(second.result), middle @ c)
    assert [i.opcode for i in run.program].count(Opcode.BARRIER) == 1


def test_a_forced_tiling_is_that_of_the_pieces(cores: Accelerator) -> None:
    tiling = Tiling("ws", "mn", 4, 3, 5, 1, 1, a_stages=2, b_stages=2, c_places=2)
    assert np.array_equal(cores.matmul(A, B, tiling=tiling), A @ B)
    assert cores.last is not None and {plan.tiling for plan in cores.last.plans} == {tiling}
    refuses(lambda: cores.matmul(A, B, tiling="x"), "tiling must be a Tiling, 'cycles' or 'bytes', got 'x'")  # type: ignore[arg-type]


def test_the_profile_tells_of_each_core(cores: Accelerator) -> None:
    a, b = numbers(48, 40), numbers(40, 36)
    assert np.array_equal(cores.matmul(a, b), a @ b)
    profile = cores.profile()
    told = profile.to_dict()
    assert len(told["cores"]) == 3
    for name, parts in told["sequencers"].items():
        assert sum(parts.values()) == 3 * told["cycles"]
        assert parts == {kind: sum(own[name][kind] for own in told["cores"]) for kind in parts}
    for own in told["cores"]:
        assert all(sum(parts.values()) == told["cycles"] and min(parts.values()) >= 0 for parts in own.values())
    assert told["utilisation"] == 48 * 40 * 36 / (3 * 6 * told["cycles"])
    assert 0.3 < told["utilisation"] <= told["array_active"] <= 1
    assert told["bytes"]["fetched"] == 64 * len(profile.run.program)
    assert told["bytes"]["read"] <= told["predicted_bytes"]["read"]
    # Another latency than the model's, and jitter.
    assert abs(told["cycles"] / told["predicted_cycles"] - 1) < 0.12
    console = Console(width=100)
    with console.capture() as captured:
        console.print(profile)
    assert all(f"core {core} compute busy" in captured.get() for core in range(3))


def test_the_timeline_has_rows_for_each_core(cores: Accelerator) -> None:
    cores.matmul(A, B)
    root = ElementTree.fromstring(cores.profile().svg())
    names = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert names[:9] == [f"{core} {name}" for core in range(3) for name in ("load", "compute", "store")]
    titles = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert sum(title.startswith("GEMM") for title in titles) == sum(
        i.opcode == Opcode.GEMM for i in cores.profile().run.program
    )


def test_a_run_that_fails_names_the_core(cores: Accelerator) -> None:
    hung = [Instruction(Opcode.GEMM, {}, waits=4, core=2), Instruction(Opcode.END, {})]
    cores.begin()
    cores.link.write("watchdog", 500)
    with pytest.raises(
        RunFailed, match=r"watchdog allows, core 2: compute sequencer lacks tokens; compute waits for 2$"
    ):
        cores.link.run(4096, encode(hung).ravel())
    try:
        cores.link.run(4096, encode(hung).ravel())
    except RunFailed as failure:
        assert (failure.cause, failure.core, failure.missing) == (Cause.STUCK, 2, (0, 4, 0))
    cores.link.write("watchdog", 1_000_000)
    assert np.array_equal(cores.matmul(A, B), A @ B)
