"""Runs of one block among the units, with arrays in and out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.sim_tests.harness import beats
from tilewright.sim_tests.hdl.arith.unit_bench import bench


def results(label: str, inputs: Mapping[str, ArrayLike], latencies: Mapping[str, int]) -> dict[str, NDArray[np.uint64]]:
    """What the outputs of ``label`` make of ``inputs``, one value a cycle: each as late as ``latencies`` says.

    Inputs that are shorter than the longest are 0 at their end; values are integers of at most 64 bits.
    """
    streams = bench().build.interface
    port = streams.streams[streams.index(f"{label}_in")]
    arrays = {name: np.asarray(values) for name, values in inputs.items()}
    count, late = max(array.size for array in arrays.values()), max(latencies.values())
    driven = beats.empty(count + late, port.bits)
    for name, array in arrays.items():
        offset, width = port.field(f"{label}_{name}")
        masked = array.astype(np.uint64) & np.uint64((1 << width) - 1)
        beats.pack(np.pad(masked, (0, count + late - array.size)), width, port.bits, offset=offset, out=driven)
    run = bench().run().send(port.name, driven).expect(f"{label}_out", count + late)
    made = run.execute()[f"{label}_out"].beats
    found = {}
    out = streams.streams[streams.index(f"{label}_out")]
    for name, latency in latencies.items():
        offset, width = out.field(f"{label}_{name}")
        found[name] = beats.unpack(made, width, 1, signed=False, offset=offset)[latency : latency + count, 0]
    return found
