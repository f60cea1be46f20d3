"""A stand-in for an ntfy server, true to the real one as far as it goes.

What it leaves out answers 501: templates, websockets, Matrix, and changes to one's own account
apart from creating an access token.
"""

from .backend import NtfyBackend
from .settings import JsonObject, Limits
from .wire import Request as RecordedRequest

__all__ = ["JsonObject", "Limits", "NtfyBackend", "RecordedRequest"]
