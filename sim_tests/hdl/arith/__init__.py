"""Tests of hdl/arith."""
