"""Ratings that come from other tools and go to them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, get_args

from agentnb.errors import RatingError
from agentnb.ratings import Exported, ExportForm, mlflow_assessments, phoenix_annotations, rating_of_row
from agentnb.workspace._database import Params
from agentnb.workspace._imported import ImportedRatings, Reading, read_import
from agentnb.workspace._judged import Judged, keep_ratings
from agentnb.workspace._picked import picked
from agentnb.workspace._rate import rater_of

# A turn stands for its trace where the spans of the format have no other call for it.
_COUNTING: Final = """
select
    r.*, coalesce(json_extract_string(c.extra, '$.span_id'), split_part(c.call_id, '/', -1)) as span_id,
    coalesce(json_extract_string(t.extra, '$.trace_id'), c.conversation_id) as trace_id
from ratings as r
inner join calls as c on r.call_id = c.call_id
inner join calls as t on c.turn_id = t.call_id
where r.counts and ($1::varchar[] is null or r.call_id in (select unnest($1::varchar[])))
order by r.rated_at, r.rating_id
"""


class ExchangedRatings:
    """Part of a workspace: ratings from other tools and for them."""

    def import_ratings(
        self: Judged,
        what: Any,
        *,
        name: str | None = None,
        labels: Mapping[str, str] | None = None,
        threshold: float | None = None,
        judges: bool = False,
        calls: Mapping[str, str] | None = None,
        by: str | None = None,
    ) -> ImportedRatings:
        """Keep ratings that another tool exported: Phoenix, MLflow, Langfuse, LangSmith, FunctAI, or a table with `call_id` and `verdict`.

        The form is found by content. All rows are read before the first rating is kept, and a row that was imported before is not kept again. Where a row
        of a table gives a right answer alone, it is right when that is the call's own answer, else wrong.

        Args:
            what: a file (JSON, JSON lines, CSV, TSV, Parquet), a frame, or objects.
            name: which criterion is the verdict, where there are several, such as correctness.
            labels: what labels mean, as {'grounded': 'right'}; yes, correct, pass and the like are known.
            threshold: the score from which on a call is right; without it 1 is right and 0 wrong, and other numbers are left out.
            judges: whether judgements of models and programs are taken too, under `judge: NAME`.
            calls: call ids here by the ids of the other tool, where they are not found.
            by: who judged, where a row does not say; else `ws.rater`.

        Returns:
            How many were kept, and a table of the rows that were left out, with reasons.

        Raises:
            FileNotFoundError: when there is no such file.
            RatingError: when there are no rows, several criteria, or nobody who judged.
            WorkspaceError: when they could not be written; then none is kept.
        """
        self._sync()
        wrong = [meaning for meaning in (labels or {}).values() if meaning not in ("right", "wrong")]
        if wrong:
            raise RatingError(f"labels= says of each label whether it means 'right' or 'wrong', not {wrong[0]!r}.")
        person, account = rater_of(by or self.rater, must_be_named=False)
        reading = Reading(name, labels or {}, threshold, judges, person, account, calls or {})
        imported = read_import(self._database, what, reading, datetime.now(UTC))
        if imported.ratings:
            keep_ratings(self, imported.ratings)
        return imported.found

    def export_ratings(
        self: Judged, form: ExportForm, path: str | os.PathLike[str] | None = None, *, query: Any = None, params: Params = None, name: str = "correctness"
    ) -> str:
        """Return the ratings that count as JSON for another tool, and write them to a file when one is named.

        Args:
            form: `phoenix` for span annotations as its REST interface takes them, `mlflow` for assessments.
            path: a file to write.
            query: only the ratings of these calls: SQL, a relation, a frame, a list of ids.
            params: values for the query.
            name: name of the annotation or feedback.

        Raises:
            RatingError: when there is no such form.
        """
        if form not in get_args(ExportForm):
            raise RatingError(f"Ratings are exported as {' or '.join(get_args(ExportForm))}, not as {form!r}.")
        self._sync()
        asked = self.sql(query, params) if isinstance(query, str) else query
        rows = self._database.rows(_COUNTING, [None if asked is None else picked(asked).call_ids])
        listed = [Exported(rating_of_row({k: v for k, v in row.items() if k not in ("span_id", "trace_id")}), row["span_id"], row["trace_id"]) for row in rows]
        made = phoenix_annotations(listed, name=name) if form == "phoenix" else mlflow_assessments(listed, name=name)
        text = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text
