"""One module for each command, with a function `run` that takes its options by name."""
