"""Tests of hdl/numeric."""
