"""A second implementation of populations, journeys and pages on one server.

Written from the pages for users alone, in plain Python, with another generator of random numbers:
`laws` reads distributions, `files` workloads and systems, `servers` is the one station, `users`
moves the sessions, `figures` makes figures from rows of either implementation, and compares them,
`made` makes workloads and systems from a seed.
"""
