"""The system model of a site's traffic, and the errors of other models."""
