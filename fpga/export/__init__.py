"""Cores and engines in the forms that other tools' users take them in."""
