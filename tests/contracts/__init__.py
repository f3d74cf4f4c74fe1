"""What every estimator promises, whatever it learns."""
