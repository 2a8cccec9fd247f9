"""The judge of candidates: models of a server or of its users, compared with a sample.

A candidate is played on the sample's workload (`play`), its distance from the sample and the part
of it that may be chance are measured (`similarity`, `strain`, `prediction`), and of those that
chance does not tell from the best one the simplest is named (`ranking`). `explain`, the learned
server, the advice on load tests and the fidelity of a workload stand on it.
"""
