"""Tests of hdl/stream."""
