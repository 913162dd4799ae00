"""Bit-exact numpy interpreters of whole designs, and their cycle models. No Amaranth here."""
