"""Tests of hdl/pe."""
