"""The populations of a log, and the workload file that they become."""
