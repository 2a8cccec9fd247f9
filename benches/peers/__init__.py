"""Other simulators, called on the models of `benches/simulation.py`; nothing of them is copied."""
