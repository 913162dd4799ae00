"""Tests of hdl/structure."""
