"""What must not break spinney: every case with what is expected of it."""
