"""Tests of samples: whether values depend on each other, change, or follow a law.

Samples are sequences of numbers in any one unit, in the order of measurement if that matters. Tests
return a statistic with the values to compare it with, and decide nothing.
"""
