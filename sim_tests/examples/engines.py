"""The engine that the examples run on in the gate."""

from __future__ import annotations

from tilewright.sim_tests.system.engine_designs import gate_engines

SMALL = gate_engines()["ws_4x4"].config
"""One of those of the system tests, so that no simulator is built for the examples alone."""
