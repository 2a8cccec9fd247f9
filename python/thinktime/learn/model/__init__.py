"""The populations of a log, and their workload file."""
