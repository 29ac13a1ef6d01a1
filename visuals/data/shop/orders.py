from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from shop.catalogue import Product
from shop.payment import Payment
from shop.storage import Storage


class Status(Enum):
    OPEN = "open"
    PAID = "paid"
    SENT = "sent"


@dataclass
class Line:
    product: Product
    count: int


@dataclass
class Order:
    number: int
    lines: list[Line]
    status: Status
    payment: Payment | None = None

    def total(self) -> int: ...


class Orders:
    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def place(self, lines: list[Line]) -> Order: ...
