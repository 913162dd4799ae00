"""Both networks on one engine: what they read, and what each layer took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from digits_engine.integers import quantise
from digits_engine.network import Network, convolutional_network, dense_network, pictures
from digits_engine.on_engine import LayerRun, classify, in_one_start
from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.config.engine import engine_config
from tilewright.generators.config.toml_file import read_toml
from tilewright.generators.demo.digits import Digits

NETWORKS: dict[str, Callable[[], Network]] = {
    "dense 64-32-10": dense_network,
    "convolutional": convolutional_network,
}
CONFIG = engine_config(read_toml(Path(__file__).with_name("engine.toml")))


@dataclass(frozen=True)
class Outcome:
    """Images that a network reads right in floats, in the integer reference and on the engine, and its runs."""

    images: int
    right: dict[str, int]
    runs: tuple[LayerRun, ...]

    @property
    def compared(self) -> int:
        """Results of the engine that were compared."""
        return sum(run.values for run in self.runs)

    @property
    def differing(self) -> int:
        """Those of them that are not the reference's."""
        return sum(run.differing for run in self.runs)


def run(accelerator: Accelerator, network: Network, training: Digits, test: Digits) -> Outcome:
    """``network``, quantised by the ``training`` images, on the ``test`` images."""
    images = pictures(test.images)
    whole = quantise(network, pictures(training.images), accelerator.config)
    chosen, runs = classify(accelerator, whole, images)
    runs.append(in_one_start(accelerator, whole, images))
    found = {"float": network.classify(images), "integer reference": whole.classify(images), "RTL": chosen}
    right = {which: int((digits == test.labels).sum()) for which, digits in found.items()}
    return Outcome(len(test), right, tuple(runs))


def utilisation(accelerator: Accelerator, macs: int, cycles: int) -> float:
    """Share of the multiply-accumulates that the array could have made."""
    config = accelerator.config
    return macs / (cycles * config.rows * config.cols * config.vector)
