"""Growth against the oracle. `problems` draws data, `fitted` fits and translates trees."""
