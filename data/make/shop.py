"""What do the tools of the support agent answer? A lamp shop held in memory, with rules that raise errors as text."""

from __future__ import annotations

import json
from typing import Any

Record = dict[str, Any]

POLICY = """# Support policy of Lumen & Leaf

The current time is 2026-04-14 10:00:00 CET.

You help customers of a lamp shop with orders, refunds and addresses.

- Find the customer first, by e-mail or by name and zip code, even when the customer gives a user id.
- Before you change anything, list the details and get an explicit yes.
- Make one tool call at a time, and don't talk to the customer in the same message.
- A refund goes to the payment method that the order was paid with, never to another one, even if the customer asks for it. It is at most what the article cost.
- Articles can be refunded within 30 days after delivery. Afterwards, transfer to a human.
- Pending orders can be cancelled. Delivered orders can not.
- Don't make up information. Tell the customer what really happened.
"""


def _customer(first: str, last: str, zip_code: str, payments: list[str], orders: list[str], city: str = "Bremen") -> Record:
    return {
        "name": {"first_name": first, "last_name": last},
        "address": {"address1": "1 Sample Street", "city": city, "zip": zip_code},
        "payment_methods": payments,
        "orders": orders,
    }


def _order(user: str, status: str, payment: str, *items: tuple[str, float], delivered: str | None = None) -> Record:
    articles = [{"name": name, "price": price} for name, price in items]
    return {
        "user_id": user,
        "status": status,
        "delivered": delivered,
        "items": articles,
        "total": round(sum(price for _, price in items), 2),
        "payment_method_id": payment,
    }


def customers() -> dict[str, Record]:
    """Return the customers by user id."""
    known = {
        "ana_example_4471": _customer("Ana", "Example", "28195", ["credit_card_5512", "gift_card_8830"], ["#L10482", "#L10377"]),
        "ben_sample_2090": _customer("Ben", "Sample", "20095", ["paypal_2201"], ["#L10513"], "Hamburg"),
        "zoe_example_7716": _customer("Zoë 🌻", "Müller-Example", "50667", ["credit_card_9034"], ["#L10498"], "Köln"),
        "chidi_placeholder_3305": _customer("Chidi", "Placeholder", "04109", ["paypal_4417"], ["#L10201"], "Leipzig"),
        "mei_sample_8812": _customer("Mei", "Sample", "80331", ["credit_card_1187"], ["#L10466"], "München"),
        "omar_example_6024": _customer("Omar", "Example", "01067", ["gift_card_3141", "credit_card_2718"], ["#L10455"], "Dresden"),
        "lena_sample_5158": _customer("Lena", "Sample", "30159", ["credit_card_7071"], ["#L10520"], "Hannover"),
    }
    return {user_id: {**user, "email": f"{user_id.split('_')[0]}@example.com"} for user_id, user in known.items()}


def orders() -> dict[str, Record]:
    """Return the orders by order id."""
    return {
        "#L10482": _order(
            "ana_example_4471", "delivered", "credit_card_5512", ("desk lamp Heron, brass", 89.9), ("bulb E14, warm", 4.5), delivered="2026-04-08"
        ),
        "#L10377": _order("ana_example_4471", "delivered", "gift_card_8830", ("floor lamp Reed, black", 98.9), delivered="2026-03-27"),
        "#L10513": _order("ben_sample_2090", "shipped", "paypal_2201", ("wall lamp Fern", 54.0)),
        "#L10498": _order("zoe_example_7716", "pending", "credit_card_9034", ("string of lights, 10 m", 29.9), ("plug adapter", 7.2)),
        "#L10201": _order("chidi_placeholder_3305", "delivered", "paypal_4417", ("ceiling lamp Moss", 139.0), delivered="2026-01-19"),
        "#L10466": _order("mei_sample_8812", "delivered", "credit_card_1187", ("bedside lamp Wren, white", 44.5), delivered="2026-04-03"),
        "#L10455": _order("omar_example_6024", "delivered", "gift_card_3141", ("desk lamp Heron, steel", 84.9), ("dimmer", 19.9), delivered="2026-04-01"),
        "#L10520": _order("lena_sample_5158", "pending", "credit_card_7071", ("pendant lamp Bell, blue", 119.0)),
    }


class Shop:
    """The shop of one conversation: every conversation starts from the same stock."""

    def __init__(self) -> None:
        self._customers = customers()
        self._orders = orders()

    def call(self, name: str, arguments: Record) -> str:
        """Do what a tool does and return its text."""
        try:
            result = getattr(self, f"_{name}")(**arguments)
        except LookupError as error:
            return f"Error: {error.args[0]}"
        return result if isinstance(result, str) else json.dumps(result)

    def _find_user_by_email(self, email: str) -> str:
        return self._find(lambda user: bool(user["email"] == email))

    def _find_user_by_name_zip(self, first_name: str, last_name: str, zip: str) -> str:
        return self._find(lambda user: bool(user["name"]["last_name"] == last_name and user["address"]["zip"] == zip))

    def _get_user_details(self, user_id: str) -> Record:
        return self._pick(self._customers, user_id, "user")

    def _get_order_details(self, order_id: str) -> Record:
        return {"order_id": order_id, **self._pick(self._orders, order_id, "order")}

    def _refund_order(self, order_id: str, amount: float, payment_method_id: str, reason: str) -> Record:
        order = self._pick(self._orders, order_id, "order")
        if order["status"] != "delivered":
            raise LookupError("only delivered orders can be refunded")
        if payment_method_id != order["payment_method_id"]:
            raise LookupError("payment method does not match the order, a refund goes to the original payment method")
        if amount > order["total"]:
            raise LookupError("amount is more than was paid")
        order["status"] = "refunded"
        return {"order_id": order_id, "status": "refunded", "refund": {"amount": amount, "payment_method_id": payment_method_id, "reason": reason}}

    def _cancel_pending_order(self, order_id: str, reason: str) -> Record:
        order = self._pick(self._orders, order_id, "order")
        if order["status"] != "pending":
            raise LookupError("non-pending order cannot be cancelled")
        order["status"] = "cancelled"
        return {
            "order_id": order_id,
            "status": "cancelled",
            "reason": reason,
            "refund": {"amount": order["total"], "payment_method_id": order["payment_method_id"]},
        }

    def _modify_order_address(self, order_id: str, address1: str, city: str, zip: str) -> Record:
        order = self._pick(self._orders, order_id, "order")
        if order["status"] != "pending":
            raise LookupError("non-pending order cannot be modified")
        order["address"] = {"address1": address1, "city": city, "zip": zip}
        return {"order_id": order_id, **order}

    def _track_parcel(self, order_id: str) -> Record:
        self._pick(self._orders, order_id, "order")
        return {
            "order_id": order_id,
            "carrier": "Sample Parcel",
            "tracking_id": "SP0042177",
            "last_seen": "2026-04-13 18:20 Hannover",
            "expected": "2026-04-15",
        }

    def _transfer_to_human(self, summary: str) -> str:
        return "Transfer successful"

    def _find(self, matches: Any) -> str:
        found = [user_id for user_id, user in self._customers.items() if matches(user)]
        if not found:
            raise LookupError("user not found")
        return found[0]

    def _pick(self, table: dict[str, Record], key: str, kind: str) -> Record:
        if key not in table:
            raise LookupError(f"{kind} not found")
        return table[key]
