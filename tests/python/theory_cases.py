"""Laws, and ranges of their parameters, that tests of theory share."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from thinktime.theory import Hyperexponential

approx = pytest.approx
exponential = Hyperexponential.exponential

H2 = Hyperexponential.balanced(mean=10, cv2=8)
BIMODAL = Hyperexponential((0.999, 0.001), (10, 0.1))  # 0.1 ms or, rarely, 10 ms
BIMODAL_MEAN = 0.1099

few = settings(max_examples=40)
loads = st.floats(0.01, 0.97)
means = st.floats(1e-3, 1e3)
h2_laws = st.builds(Hyperexponential.balanced, mean=means, cv2=st.floats(1, 60))


def phases_of(law):
    """The probabilities and rates of a hyperexponential law."""
    return law.probabilities, law.rates


def is_survival_function(law, rounding=0.0):
    """Asserts that it falls from 1 to 0, but for rounding."""
    times = law.mean * np.concatenate(([-1, 0], np.geomspace(1e-3, 300, 40)))
    survival = law.sf(times)
    assert survival[:2] == approx([1, 1])
    assert np.all(np.diff(survival) <= rounding)
    assert np.all((survival >= 0) & (survival <= 1 + 1e-12))
    assert law.sf(law.mean * 1e5) < 1e-9
