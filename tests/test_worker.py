"""A real Celery worker, nudged over Valkey, forks and judges a conversation that has ended."""

from tests.live import LiveSite
from tests.waiting import until

WALK = """
from tests import cast
session = cast.arrives(cast.study())
cast.walk(session, to="code")
"""


def test_a_finished_conversation_is_probed_and_judged_by_the_worker(live_site: LiveSite, live_worker):
    live_site.manage("shell", "-c", WALK)
    until(
        lambda: (
            live_site.query(
                "SELECT count(*) > 0 AND bool_and(state = 'done') FROM work_work"
                " WHERE kind IN ('probes.forks', 'probes.private')"
            )[0][0]
            and live_site.query(
                "SELECT count(*) FROM chat_message m JOIN chat_conversation c ON c.id = m.conversation_id"
                " WHERE c.kind = 'fork' AND m.role = 'agent'"
                " AND NOT EXISTS (SELECT FROM verdicts_verdict v WHERE v.message_id = m.id)"
            )
            == [(0,)]
        ),
        90,
        lambda: live_site.log("worker"),
    )
    forks, judged = live_site.query(
        "SELECT (SELECT count(*) FROM probes_fork), (SELECT count(DISTINCT message_id) FROM verdicts_verdict)"
    )[0]
    assert forks > 0
    # Every fork's reply, and every live card's.
    assert judged >= forks
