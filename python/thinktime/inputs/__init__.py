"""What is given to the operations: workloads, systems and options, from files, dicts and text."""
