"""Every table of the data set, one file a subject."""

from studyapp.exports.columns import Table
from studyapp.exports.plan import Plan
from studyapp.exports.tables import cards, events, judgements, messages, probes, responses, sessions, wide


def tables(plan: Plan) -> tuple[Table, ...]:
    """The tables in the order of the documentation; columns that depend on the design come from ``plan``."""
    return (
        sessions.table(plan),
        wide.table(plan),
        responses.table(plan),
        messages.table(plan),
        cards.table(plan),
        judgements.codes_table(plan),
        judgements.verdicts_table(plan),
        probes.table(plan),
        events.table(plan),
    )
