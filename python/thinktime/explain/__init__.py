"""A model of the server of a result, and its answers for other systems.

from thinktime.explain import explain_result
found = explain_result(result)
print(found.sentence)
"""

from thinktime.explain.explanation import Explanation, explain_result
from thinktime.explain.questions import Answer

__all__ = ["Answer", "Explanation", "explain_result"]
