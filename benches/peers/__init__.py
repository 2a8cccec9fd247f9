"""Other simulators, called on the models of `benches/simulation.py`; their code is not copied."""
