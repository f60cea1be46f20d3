"""A stand-in for a Woodpecker server, true to the real one as far as it goes.

It keeps the awkward parts: bare statuses, null for empty lists, a filtered trigger that
answers 204, PATCH routes that replace every field, and a web page for unrouted paths.
Nothing runs in it: a test says what became of a pipeline.
"""

from .backend import WoodpeckerBackend
from .exchange import Answer, Json, RecordedRequest

__all__ = ["Answer", "Json", "RecordedRequest", "WoodpeckerBackend"]
