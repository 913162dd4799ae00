"""Tests of the simulation harness, on small hand-written Verilog; some of it is wrong on purpose."""
