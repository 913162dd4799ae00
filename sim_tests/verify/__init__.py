"""`tilewright verify`: a generated core against the reference model, test by test."""
