"""Turns a configuration into files. All argument parsing, file access and user-facing error wording live here."""
