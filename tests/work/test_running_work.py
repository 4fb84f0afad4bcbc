"""Work is claimed by one, retried when it fails, and never forgotten when a worker dies."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from studyapp.celery import app
from studyapp.work import registry
from studyapp.work.models import Work
from studyapp.work.queue import enqueue
from studyapp.work.runner import RetryLater, run_due
from studyapp.work.tasks import run_due_work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def handled(monkeypatch):
    """A list that the handler of kind ``tests.note`` writes the payloads it ran to."""
    seen: list[dict] = []
    monkeypatch.setitem(registry._handlers, "tests.note", seen.append)
    return seen


def _handle(monkeypatch, run) -> None:
    monkeypatch.setitem(registry._handlers, "tests.note", run)


def test_due_work_runs_once_and_is_done(handled):
    enqueue(kind="tests.note", key="a", payload={"n": 1})
    assert run_due(kinds=["tests.note"]) == 1
    assert run_due(kinds=["tests.note"]) == 0
    assert handled == [{"n": 1}]
    assert Work.objects.get().state == Work.State.DONE


def test_work_for_later_waits(handled):
    enqueue(kind="tests.note", key="a", payload={}, run_after=timezone.now() + timedelta(hours=1))
    assert run_due(kinds=["tests.note"]) == 0
    assert handled == []


def test_failed_work_is_tried_again_later_and_keeps_its_error(monkeypatch):
    def fail(payload):
        raise ValueError("no such conversation")

    _handle(monkeypatch, fail)
    enqueue(kind="tests.note", key="a", payload={})
    run_due(kinds=["tests.note"])
    row = Work.objects.get()
    assert row.state == Work.State.WAITING
    assert row.attempts == 1
    assert row.error == "ValueError: no such conversation"
    assert row.run_after > timezone.now()


def test_work_that_keeps_failing_is_given_up_in_sight(monkeypatch):
    def fail(payload):
        raise ValueError("never works")

    _handle(monkeypatch, fail)
    row = enqueue(kind="tests.note", key="a", payload={})
    for _ in range(row.max_attempts):
        Work.objects.update(run_after=timezone.now())
        run_due(kinds=["tests.note"])
    row.refresh_from_db()
    assert (row.state, row.attempts) == (Work.State.FAILED, row.max_attempts)
    assert row.finished_at is not None


def test_work_that_must_wait_is_not_counted_as_failed(monkeypatch):
    def later(payload):
        raise RetryLater(30, "the provider is busy")

    _handle(monkeypatch, later)
    enqueue(kind="tests.note", key="a", payload={})
    run_due(kinds=["tests.note"])
    row = Work.objects.get()
    assert (row.state, row.attempts, row.error) == (Work.State.WAITING, 0, "the provider is busy")


def test_a_dead_workers_row_is_claimed_again_when_its_lease_is_over(handled):
    row = enqueue(kind="tests.note", key="a", payload={"n": 7})
    Work.objects.filter(pk=row.pk).update(
        state=Work.State.RUNNING, attempts=1, lease_until=timezone.now() - timedelta(seconds=1)
    )
    assert run_due(kinds=["tests.note"]) == 1
    assert handled == [{"n": 7}]


def test_racing_workers_run_every_row_exactly_once(handled):
    for number in range(40):
        enqueue(kind="tests.note", key=str(number), payload={"n": number})

    def work():
        try:
            return run_due(kinds=["tests.note"])
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        ran = [future.result() for future in [pool.submit(work) for _ in range(8)]]
    assert sum(ran) == 40
    assert sorted(payload["n"] for payload in handled) == list(range(40))


def test_two_handlers_for_one_kind_are_refused(handled):
    with pytest.raises(ValueError, match=r"tests\.note"):
        registry.register("tests.note", lambda payload: None)


def test_beat_looks_for_work_every_minute():
    app.loader.import_default_modules()
    entry = app.conf.beat_schedule["work.nudge"]
    assert entry["task"] == run_due_work.name
    assert run_due_work.name in app.tasks
    assert entry["schedule"] <= 60
