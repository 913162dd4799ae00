"""Top levels of boards: clock, reset and link around what was generated."""
