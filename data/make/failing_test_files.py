"""The project of the story failing_test: a small shop, in which the cart imports an old copy of the code that everybody edits."""

from __future__ import annotations

PRICING = '''"""Prices and vouchers. All amounts are whole cents."""

from __future__ import annotations


def line_total(price: int, quantity: int) -> int:
    """Return what one line of a cart costs."""
    return price * quantity


def split_voucher(totals: list[int], voucher: int) -> list[int]:
    """Spread a voucher over the lines of a cart, in proportion to what they cost."""
    whole = sum(totals)
    return [voucher * total // whole for total in totals]
'''

LEGACY = '''"""What the old checkout needs. Kept until the kiosk app is retired."""

from __future__ import annotations


def split_voucher(totals: list[int], voucher: int) -> list[int]:
    """Spread a voucher over the lines of a cart."""
    whole = sum(totals)
    shares = [voucher / whole * total for total in totals]
    return [int(share) for share in shares]


def kiosk_total(totals: list[int], voucher: int) -> int:
    """Return what the kiosk shows."""
    return sum(totals) - sum(split_voucher(totals, voucher))
'''

CART = '''"""A cart: lines, one voucher, what is left to pay."""

from __future__ import annotations

from shop.legacy import split_voucher
from shop.pricing import line_total


class Cart:
    """Holds lines in the order in which they were added."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.totals: list[int] = []
        self.voucher = 0

    def add(self, name: str, price: int, quantity: int = 1) -> None:
        self.names.append(name)
        self.totals.append(line_total(price, quantity))

    def redeem(self, voucher: int) -> None:
        self.voucher = min(voucher, sum(self.totals))

    def discounts(self) -> list[int]:
        return split_voucher(self.totals, self.voucher)

    def to_pay(self) -> int:
        return sum(self.totals) - sum(self.discounts())
'''

RECEIPT = '''"""Print a cart."""

from __future__ import annotations

from shop.cart import Cart


def receipt(cart: Cart) -> str:
    """Return one line per article and the sum."""
    rows = [f"{name:<12}{total / 100:>8.2f}{-discount / 100:>8.2f}" for name, total, discount in zip(cart.names, cart.totals, cart.discounts())]
    return "\\n".join([*rows, f"{'to pay':<12}{cart.to_pay() / 100:>16.2f}"])
'''

TEST_PRICING = """from shop.pricing import line_total, split_voucher


def test_line_total():
    assert line_total(250, 2) == 500


def test_even_split():
    assert split_voucher([500, 500], 100) == [50, 50]


def test_split_follows_the_price():
    assert split_voucher([900, 100], 100) == [90, 10]
"""

TEST_CART = """from shop.cart import Cart


def cart_of(*lines):
    cart = Cart()
    for name, price, quantity in lines:
        cart.add(name, price, quantity)
    return cart


def test_cart_without_voucher():
    assert cart_of(("mug", 995, 1), ("pen", 250, 2)).to_pay() == 1495


def test_voucher_is_spent_to_the_cent():
    cart = cart_of(("mug", 995, 1), ("pen", 250, 2), ("pad", 333, 3))
    cart.redeem(1000)
    assert sum(cart.discounts()) == 1000


def test_free_line_gets_no_discount():
    cart = cart_of(("sticker", 0, 1), ("pen", 250, 2), ("pad", 333, 3), ("card", 0, 1))
    cart.redeem(700)
    assert cart.discounts()[0] == 0
    assert cart.discounts()[-1] == 0


def test_voucher_is_never_more_than_the_cart():
    cart = cart_of(("pen", 250, 1))
    cart.redeem(1000)
    assert cart.to_pay() == 0
"""

TEST_RECEIPT = """from shop.cart import Cart
from shop.receipt import receipt


def test_receipt():
    cart = Cart()
    cart.add("mug", 1000)
    cart.add("pen", 250, 2)
    cart.redeem(300)
    assert receipt(cart).splitlines()[-1].split() == ["to", "pay", "12.00"]
"""

PROJECT = """[project]
name = "shop"
version = "1.4.0"

[tool.pytest.ini_options]
testpaths = ["tests"]
"""

VOUCHERS = "code;cents;note\r\nSPRING;1000;10 € off\r\nTHANKS;500;\r\nSTAFF;2500;not with SPRING\r\n"


def orders() -> str:
    """Return some 20 kB of orders, as a shop exports them."""
    articles = [("mug", 995), ("pen", 250), ("pad", 333), ("lamp", 8990), ("card", 180), ("bag", 1450)]
    rows = ["order;day;customer;lines;cents;voucher"]
    for number in range(420):
        name, price = articles[number * 7 % len(articles)]
        quantity = 1 + number * 5 % 4
        voucher = "SPRING" if number % 9 == 4 else ""
        rows.append(
            f"A{10400 + number};2026-02-{1 + number % 28:02d};customer{number * 13 % 97:02d}@example.com;{name}x{quantity};{price * quantity};{voucher}"
        )
    return "\n".join(rows) + "\n"


FILES = {
    "pyproject.toml": PROJECT,
    "shop/__init__.py": "",
    "shop/pricing.py": PRICING,
    "shop/legacy.py": LEGACY,
    "shop/cart.py": CART,
    "shop/receipt.py": RECEIPT,
    "tests/test_pricing.py": TEST_PRICING,
    "tests/test_cart.py": TEST_CART,
    "tests/test_receipt.py": TEST_RECEIPT,
    "fixtures/vouchers.csv": VOUCHERS,
    "fixtures/orders.csv": orders(),
}
