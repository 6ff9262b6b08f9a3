"""Which texts look like secrets, and what is shown in their place. Nothing here decides whether something is a secret: it knows shapes.

Every pattern starts where nothing of its own alphabet stands before it, or repeats at most a fixed number of times, so that the time
grows with the length of the text and not faster, whatever the text.
"""

from __future__ import annotations

import re
from typing import Final

from agentnb.render._options import options

DOTS: Final = "••••••"
SHORTEST: Final = 12
"""Texts with fewer characters hold no secret of these shapes."""

_LINE_END = r"(?:\s|\\{1,4}[nr])"
_NAMES: Final = "password|passwd|secret|client_secret|api_?key|access_token|refresh_token|private_key"
_SHAPES: Final = {
    "pem": r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{_LINE_END}{{1,4}}(?:[A-Za-z-]{{4,20}}: [^\r\n\\]{{0,100}}|[A-Za-z0-9+/=]{{8,}}))*{_LINE_END}{{0,4}}[A-Za-z0-9+/=]{{0,8}}{_LINE_END}{{0,4}}"
    rf"(?:-----END [A-Z0-9 ]{{0,60}}-----|{DOTS})?",
    "jwt": r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
    "key": r"(?<![\w-])(?:(?:sk-|xox[a-z]-|xapp-|glpat-)(?=[\w-]{16})(?=[A-Za-z_-]{0,200}\d)[\w-]*|[srp]k_(?:live|test)_\w{16,}|github_pat_\w{20,}"
    r"|(?:gh[pousr]|hf|npm)_[A-Za-z0-9]{20,}|AIza[\w-]{30,}|SG\.[\w-]{16,}\.[\w-]{16,})",
    "aws": r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])",
    "bearer": r"(?<![A-Za-z])(?i:bearer|authorization: basic)[ \t]{1,4}(?=[\w.~+/=-]{16})(?=[^\s\d]{0,200}\d)[\w.~+/=-]*",
    "login": r"://[^\s/:@\"'<>]{0,64}:[^\s/@\"'<>]{1,128}@",
    "parameter": rf"[?&](?i:{_NAMES}|pwd|token|auth_token|signature|sig)=[^&\s\"'<>#\\]{{3,}}",
    "member": rf"\\{{0,3}}\"(?i:{_NAMES})\\{{0,3}}\":\s{{0,4}}\\{{0,3}}\"[^\"\\\n]{{3,4000}}(?:\\{{0,3}}\"|\Z)",
    "setting": r"(?<![A-Za-z0-9_])[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|SECRET_KEY|ACCESS_KEY)=[^\s\"'$<>&;|]{6,}",
}
_HINTS: Final = (
    *("-----BEGIN", "eyJ", "sk-", "xox", "xapp-", "glpat-", "k_live_", "k_test_", "github_pat_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "hf_", "npm_"),
    *("AIza", "SG.", "AKIA", "ASIA", "earer ", "EARER ", "earer\t", "asic ", "ASIC ", "://", "=", '":'),
)
_SECRET = re.compile("|".join(f"(?P<{name}>{shape})" for name, shape in _SHAPES.items()))
_NAME = re.compile(_NAMES, re.IGNORECASE)


def mask(text: str) -> str:
    """Replace what looks like a secret by its first characters and dots, unless `options.show_secrets` is set.

    Args:
        text: any text; meant for what is about to be shown, never for what is kept.

    Returns:
        The text, the same object when there is nothing to mask.
    """
    if len(text) < SHORTEST or options.show_secrets or not any(hint in text for hint in _HINTS):
        return text
    return _SECRET.sub(_masked, text)


def names_secret(name: str) -> bool:
    """Say whether an argument of this name holds a secret: `password`, `api_key` and the like."""
    return not options.show_secrets and _NAME.fullmatch(name) is not None


def _masked(match: re.Match[str]) -> str:
    found = match[0]
    if match.lastgroup in ("parameter", "setting"):
        return found[: found.index("=") + 1] + DOTS
    if match.lastgroup == "member":
        return found[: found.index(":") + 1] + f' "{DOTS}"'
    if match.lastgroup == "login":
        return found[: found.index(":", 3) + 1] + DOTS + "@"
    if match.lastgroup == "bearer":
        return found[: max(found.rfind(" "), found.rfind("\t")) + 1] + DOTS
    if match.lastgroup == "pem":
        return found[: found.index("-----", 5) + 5] + DOTS
    return found[: _prefix(found) if match.lastgroup == "key" else 4] + DOTS


def _prefix(found: str) -> int:
    """Return how much of a key names its kind: `sk-`, `ghp_`, `xoxb-`, `sk_live_`, `AIza`."""
    kind = re.match(r"github_pat_|[srp]k_(?:live|test)_|sk-(?:ant-|proj-)?|[A-Za-z]{2,6}[-_.]|AIza", found)
    return kind.end() if kind else 3
