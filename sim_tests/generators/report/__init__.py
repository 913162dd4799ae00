"""Tests of ``generators/report``."""
