"""The figures of people: their arrivals, their sessions and the session timeout."""
