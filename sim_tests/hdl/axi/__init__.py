"""Tests of hdl/axi."""
