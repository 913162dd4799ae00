"""Tests of the reference models against what others wrote."""
