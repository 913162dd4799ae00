"""What went wrong elsewhere goes right here: each reported case on the reference and on the RTL."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit.elaborate import modules
from tilewright.generators.reference.core import DATAFLOWS
from tilewright.generators.reference.cycles import CycleModel
from tilewright.generators.reference.gemm import gemm
from tilewright.generators.reference.records import Dataflow
from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.drivers.core_result import CoreResult
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.system.designs import gate_designs
from tilewright.sim_tests.system.field_cases import field_cases, products

ALL = ("ws", "os", "is")

# The command line, which says how many KiB of memory it took when it ends.
PROGRAM = [
    sys.executable,
    "-c",
    """
import atexit, resource
from tilewright.generators.cli import main
atexit.register(lambda: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
main()
""",
]


def on_rtl(design: str, dataflow: str, a: ArrayLike, b: ArrayLike, times: int = 1) -> CoreResult:
    """``a @ b`` by a core of the gate, ``times`` times back to back, each into its own words."""
    chosen = gate_designs()[design]
    left, right = np.asarray(a), np.asarray(b)
    (m, k), n = left.shape, right.shape[1]
    session = CoreSession(chosen.parameters)
    loads = (session.load("load_a", left), session.load("load_b", right))
    words = m * -(-n // chosen.parameters.c_memory.lanes)
    flow = Dataflow[dataflow.upper()]
    done = [session.command(m, n, k, flow, c=index * words, after=loads) for index in range(times)]
    for index in range(times):
        session.read(m, n, index * words, after=done)
    result = session.run(chosen.build())
    assert [result.answer(operation)[0] for operation in result.operations] == [0] * len(result.operations)
    return result


def assert_equal(got: NDArray[np.int64], want: ArrayLike) -> None:
    assert got.tolist() == np.asarray(want).tolist()


@pytest.mark.parametrize("name", products())
def test_product_on_reference(name: str) -> None:
    case = products()[name]
    assert_equal(gemm(case["a"], case["b"], 0, IntFormat.parse(case["acc"]), saturating=False), case["expect"])
    assert_equal(gemm(case["a"], case["b"], 0, IntFormat.parse(case["acc"]), saturating=True), case["expect"])


@pytest.mark.parametrize("dataflow", ALL)
@pytest.mark.parametrize("name", products())
def test_product_on_rtl(name: str, dataflow: str) -> None:
    case = products()[name]
    result = on_rtl("any_4x4", dataflow, case["a"], case["b"])
    assert_equal(result.matrices[0], case["expect"])


@pytest.mark.parametrize("dataflow", ALL)
@pytest.mark.parametrize("design", ["any_2x2", "any_4x4", "any_8x8", "any_16x16"])
def test_gem5_aladdin_43_on_arrays_narrower_and_wider_than_the_matrix(design: str, dataflow: str) -> None:
    case = field_cases()["gem5-aladdin-43"]
    assert_equal(on_rtl(design, dataflow, case["a"], case["b"]).matrices[0], case["expect"])


@pytest.mark.parametrize("dataflow", ALL)
def test_autosa_20_nothing_stays_in_the_accumulators(dataflow: str) -> None:
    case = field_cases()["autosa-20"]
    result = on_rtl("any_4x4", dataflow, case["a"], case["b"], times=3)
    for matrix in result.matrices:
        assert_equal(matrix, case["expect"])


@pytest.mark.parametrize("policy", ["wrap", "saturate"])
def test_tensil_64_accumulator_overflow(policy: str) -> None:
    case = field_cases()["tensil-64"]
    a, b = np.array([case["a"]]), np.array([case["b"]]).T
    want = case[f"expect_{policy}"]
    saturating = policy == "saturate"
    assert int(a[0].astype(object) @ b[:, 0].astype(object)) == case["exact"]
    assert gemm(a, b, 0, IntFormat.parse(case["acc"]), saturating=saturating).item() == want
    design = "os_2x3_saturate" if saturating else "os_2x3"
    assert on_rtl(design, "os", a, b).matrices[0].item() == want


def test_hls4ml_324_accumulator_as_narrow_as_the_operands() -> None:
    assert "8-bit accumulator" in field_cases()["hls4ml-324"]["do"]
    with pytest.raises(ConfigError, match="acc must hold one product of int8 and int8, which takes 16 bits, got int8"):
        systolic_config({"a": "int8", "b": "int8", "acc": "int8"})
    with pytest.raises(ConfigError, match="got int16, which is safe up to K = 1; nearest legal value is int24"):
        systolic_config({"a": "int8", "b": "int8", "acc": "int16", "max_k": 256})
    default = systolic_config({})
    assert default.acc.width >= default.a.width + default.b.width + (default.max_k - 1).bit_length()


@pytest.mark.parametrize("case", field_cases()["scalesim-60-125"]["cases"], ids=lambda case: f"{case['R']}x{case['C']}")
def test_scalesim_60_125_cycles_from_first_operand_to_last_accumulation(case: dict[str, int]) -> None:
    rows, cols = case["R"], case["C"]
    m, n, k = case["M"], case["N"], case["K"]
    model = CycleModel(rows, cols, "os")
    assert model.compute_cycles(m, n, k) == case["compute_cycles"] == k + rows + cols - 2
    # On the RTL the rest of a command does not depend on K.
    design = gate_designs()[f"any_{rows}x{cols}"]
    rng = np.random.default_rng(1)
    cycles = [
        on_rtl(design.name, "os", rng.integers(0, 9, (m, depth)), rng.integers(0, 9, (depth, n))).command_cycles[0]
        for depth in (k, k + 7)
    ]
    assert cycles[1] - cycles[0] == 7
    on_any = CycleModel(rows, cols, "any", design.config.pipeline)
    assert cycles[0] == on_any.cycles(m, n, k, "os")
    assert cycles[0] - on_any.compute_cycles(m, n, k, "os") == cycles[1] - on_any.compute_cycles(m, n, k + 7, "os")


@pytest.mark.parametrize("dataflow", ALL)
def test_scalesim_59_array_wider_than_n(dataflow: str) -> None:
    # The array of the report, in the cycle model: one fold of M wavefronts in ws.
    assert CycleModel(256, 256, "ws").folds(256, 128, 256, "ws") == (1, 1, 256)
    assert CycleModel(256, 256, dataflow).cycles(256, 128, 256) <= 256 + 2 * 256 + 256 + 32
    rng = np.random.default_rng(59)
    a, b = rng.integers(-128, 128, (8, 8)), rng.integers(-128, 128, (8, 4))
    assert_equal(on_rtl("any_8x8", dataflow, a, b).matrices[0], a @ b)


@pytest.mark.parametrize("design", ["any_4x4", "any_16x16", "is_12x5", "os_8x3", "ws_3x5"])
def test_autosa_9_a_single_row(design: str) -> None:
    config = gate_designs()[design].config
    rng = np.random.default_rng(9)
    assert config.integers is not None
    left, right, acc = config.integers
    a = rng.integers(left.min, left.max, (1, 64), endpoint=True)
    b = rng.integers(right.min, right.max, (64, 10), endpoint=True)
    want = gemm(a, b, 0, acc, saturating=False)
    for number in DATAFLOWS[config.dataflow]:
        assert_equal(on_rtl(design, Dataflow(number).name, a, b).matrices[0], want)


def test_vitis_16_a_256x256_array_is_estimated_before_it_is_made(tmp_path: Path) -> None:
    words = ["systolic", "--rows", "256", "--cols", "256", "-o", str(tmp_path / "core")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*PROGRAM, *words], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert list(tmp_path.iterdir()) == []
    assert seconds < 5
    assert int(done.stdout) < 1 << 20  # KiB


@pytest.mark.parametrize("dataflow", ["ws", "os", "is", "any"])
def test_nmigen_328_modules_do_not_grow_with_the_array(dataflow: str) -> None:
    fields = {"dataflow": dataflow, "product": "array"}
    names = [len(modules(systolic_config({**fields, "rows": size, "cols": size}))) for size in (4, 8, 32)]
    assert len(set(names)) == 1
    assert names[0] < 16
