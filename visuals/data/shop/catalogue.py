from __future__ import annotations

from dataclasses import dataclass

from shop.storage import Storage


@dataclass(frozen=True)
class Product:
    sku: str
    name: str
    price: int


class Catalogue:
    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def find(self, sku: str) -> Product: ...
