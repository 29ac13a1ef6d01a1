from __future__ import annotations

from shop import catalogue, orders
from shop.payment import Payment


def notify(payment: Payment) -> None: ...


def routes() -> list[object]:
    return [catalogue.Catalogue.find, orders.Orders.place]
