"""What is answered when a request can't be served."""

from __future__ import annotations


class RulesError(Exception):
    """A request that is refused; the position is what it was before."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        #: A word of the protocol, such as `illegal_move`.
        self.code = code
