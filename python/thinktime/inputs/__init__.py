"""The inputs of operations: workloads, systems and options, from files, dicts and text."""
