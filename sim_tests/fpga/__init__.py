"""Tests of boards and of the host's side."""
