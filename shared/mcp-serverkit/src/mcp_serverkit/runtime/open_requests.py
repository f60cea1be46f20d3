"""The requests of a client that are still open: each id belongs to one of them at a time.

A second request under an open id would take the first one's place in the SDK, and a
cancellation would end the wrong call. There an id and its spelling as text are also one.
So the SDK gets a number of ours for each request, and the client its own id back.
"""

from __future__ import annotations

from itertools import count

from mcp_types import RequestId


class OpenRequests:
    """Ids in use, and who is still owed an answer."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._open: dict[tuple[type, RequestId], int] = {}
        self._ids: dict[int, RequestId] = {}
        self._owed: set[int] = set()

    def __contains__(self, request_id: RequestId) -> bool:
        return _key(request_id) in self._open

    @property
    def owed(self) -> bool:
        """Whether an answer is still owed to anybody."""
        return bool(self._owed)

    def add(self, request_id: RequestId) -> int:
        """Note a request.

        Returns:
            Its number for the SDK.
        """
        number = next(self._numbers)
        self._open[_key(request_id)] = number
        self._ids[number] = request_id
        self._owed.add(number)
        return number

    def cancelled(self, request_id: object) -> int | None:
        """Note that nobody waits for an answer any more; the id stays in use.

        Returns:
            The number of the request, or nothing where none is open under that id.
        """
        if type(request_id) not in {str, int}:
            return None
        number = self._open.get((type(request_id), request_id))  # type: ignore[arg-type]
        self._owed.discard(number or 0)
        return number

    def id_of(self, number: RequestId) -> RequestId | None:
        """Return the client's id of a request that is open."""
        return self._ids.get(number) if isinstance(number, int) else None

    def close(self, number: RequestId) -> None:
        """Note that a request was answered, or that its cancelled handler has ended."""
        request_id = self.id_of(number)
        if request_id is not None and isinstance(number, int):
            del self._open[_key(request_id)], self._ids[number]
            self._owed.discard(number)


def _key(request_id: RequestId) -> tuple[type, RequestId]:
    return type(request_id), request_id
