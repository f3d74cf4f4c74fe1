"""Speed against the peers, as ratios of one run: python -m benchmarks --help."""
