"""Tests of hdl/engine."""
