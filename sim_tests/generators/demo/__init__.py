"""Tests of `tilewright.generators.demo`."""
