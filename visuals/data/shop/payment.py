from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Payment:
    amount: int
    provider: str

    def refund(self) -> None:
        from shop import web  # a module that imports this one

        web.notify(self)
