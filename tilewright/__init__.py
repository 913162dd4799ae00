"""Tilewright: systolic matrix engines and dataflow fabrics, from a short configuration to verified Verilog."""

from importlib.metadata import version

__version__ = version("tilewright")
