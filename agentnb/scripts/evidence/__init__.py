"""Names and numbers of an answer against what the agent was shown: which of them stand nowhere in it.

The rules are those of agentfootprint's names-and-numbers check; where its published head is known to be wrong, the later behaviour is taken. What we
add so that nobody is accused wrongly (other spellings of one value, lists, JSON inside text) is marked as ours where it stands. A pass never means
that an answer is right: the check detects invented values, not false claims made of real ones.
"""

from __future__ import annotations

from agentnb.scripts.evidence.check import CheckedValue, EvidenceCheck, Mark, Served, check_answer
from agentnb.scripts.evidence.index import EvidenceIndex
from agentnb.scripts.evidence.options import EvidenceOptions, Shape
from agentnb.scripts.evidence.postures import Judgment, judge_answer
from agentnb.scripts.evidence.turns import check_evidence, served_by
from agentnb.scripts.evidence.words import Candidate, classify, forms_of, normalize, tokenize

__all__ = [
    "Candidate",
    "CheckedValue",
    "EvidenceCheck",
    "EvidenceIndex",
    "EvidenceOptions",
    "Judgment",
    "Mark",
    "Served",
    "Shape",
    "check_answer",
    "check_evidence",
    "classify",
    "forms_of",
    "judge_answer",
    "normalize",
    "served_by",
    "tokenize",
]
