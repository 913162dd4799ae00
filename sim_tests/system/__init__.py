"""Whole designs against the reference models."""
