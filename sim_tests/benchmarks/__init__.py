"""Tests of the benches, and how a bench records what it measured."""
