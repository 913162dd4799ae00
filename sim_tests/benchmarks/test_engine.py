"""The benches of the engine: what they measure is right, and wrong results do not pass."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import Matrix
from tilewright.hdl.numeric import container_bytes
from tilewright.sim_tests.benchmarks.engines import NARROW, layers
from tilewright.sim_tests.benchmarks.least_traffic import least_bytes
from tilewright.sim_tests.benchmarks.llama_layer import run_layer, shapes
from tilewright.sim_tests.benchmarks.scripts import script
from tilewright.sim_tests.drivers import engine_products
from tilewright.sim_tests.drivers.engine_products import measure, multiply
from tilewright.sim_tests.generators.program.engines import ENGINES
from tilewright.sim_tests.generators.program.exhaustive import least_traffic
from tilewright.sim_tests.harness import SimulationFailed


def test_a_slice_of_a_llama_layer_runs_and_moves_what_was_planned() -> None:
    """1/64 of the weights, one token."""
    runs = dict(run_layer(NARROW, shapes(1, 8)))
    assert [run.product.k * run.product.n for run in runs.values()] == [
        1 << 18,
        1 << 16,
        1 << 16,
        1 << 18,
        *3 * [917504],
    ]
    for run in runs.values():
        assert run.moved == run.plan.traffic.tensor_bytes
        assert run.program == run.plan.traffic.program_bytes
    assert runs["down_proj"].port_share > 95


def test_small_products_are_nearly_as_fast_as_the_array() -> None:
    run = measure(NARROW, (96, 96, 96))
    assert run.utilisation > 75
    figures = script("engine").figures_of("product", run, 75.0)
    assert all(figure.met for figure in figures)


def test_a_wrong_result_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_products, "multiply", lambda a, b: multiply(a, b) + 1000)
    with pytest.raises(SimulationFailed, match="computed a wrong 5 x 6 x 7"):
        measure(NARROW, (5, 6, 7), finished=False)


def test_products_of_small_integers_are_exact() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(-128, 128, (3, 700), dtype=np.int8), rng.integers(-128, 128, (700, 1100), dtype=np.int8)
    np.testing.assert_array_equal(multiply(a, b), a.astype(np.int64) @ b.astype(np.int64))


def test_layers_are_those_of_the_list_and_cut() -> None:
    resnet = layers("ResNet-50")
    assert sum(len(layer.names) for layer in resnet) == 54
    assert max(layer.shape[0] for layer in resnet) == 512
    assert [layer.shape for layer in resnet if not layer.compute_bound(NARROW)] == [(1, 1000, 2048)]
    assert str(resnet[0]) == "Conv1: 512 of 11,881 x 64 x 147"


@pytest.mark.parametrize("shape", [(7, 9, 12), (12, 10, 9), (16, 6, 13), (5, 14, 11), (1, 20, 30), (14, 17, 8)])
@pytest.mark.parametrize("engine", ["ws", "os"])
def test_least_traffic_is_that_of_trying_all_tilings(engine: str, shape: tuple[int, int, int]) -> None:
    config, (m, n, k) = ENGINES[engine], shape
    sizes = (container_bytes(config.a), container_bytes(config.b), container_bytes(config.acc))
    matrices = [
        Matrix(4096 * i, *extent, size)
        for i, (extent, size) in enumerate(zip(((m, k), (k, n), (m, n)), sizes, strict=True))
    ]
    product = Product(matrices[0], matrices[1], matrices[2])
    expected, _ = least_traffic(product, config, engine)
    found = least_bytes(product, config, 1 << 30)
    assert found <= expected
    assert found > 0.8 * expected  # several chunks of A in an element, which the other search leaves out, save little


def test_the_benches_have_points_enough() -> None:
    assert len(script("traffic").shapes()) >= 20
    assert len(script("engine-cycles").ENGINES) >= 6 and script("engine-cycles").POINTS >= 500
    assert len(script("bandwidth").rows_of_one()) == 4
