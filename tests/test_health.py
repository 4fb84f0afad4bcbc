"""/healthz says which part is ill."""

import pytest
import redis
from django.conf import settings

from studyapp import health


@pytest.fixture
def seen():
    """Marks as a worker and beat leave them; gone afterwards."""
    client = redis.Redis.from_url(settings.REDIS_URL)
    client.delete(health.WORKER_KEY, health.BEAT_KEY)
    yield client
    client.delete(health.WORKER_KEY, health.BEAT_KEY)
    client.close()


@pytest.mark.django_db
def test_all_parts_are_well_when_the_heartbeat_was_sent_and_run(client, seen):
    seen.set(health.BEAT_KEY, 1)
    health.heartbeat()
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {
        "ok": True,
        "parts": {
            "web": True,
            "database": True,
            "migrations": True,
            "valkey": True,
            "worker": True,
            "beat": True,
        },
    }
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.django_db
def test_a_worker_that_was_not_seen_is_ill(client, seen):
    seen.set(health.BEAT_KEY, 1)
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json()["parts"] | {"worker": True} == dict.fromkeys(answer.json()["parts"], True)
    assert answer.json()["parts"]["worker"] is False


def test_a_worker_is_forgotten_when_it_is_silent(seen):
    health.heartbeat()
    assert 0 < seen.ttl(health.WORKER_KEY) <= health.SEEN_FOR_S


def test_publishing_a_heartbeat_shows_beat(seen):
    health.heartbeat.delay()
    assert seen.exists(health.BEAT_KEY)


@pytest.mark.django_db
def test_valkey_out_of_reach_is_said_and_is_no_error(client, settings):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    parts = client.get("/healthz").json()["parts"]
    assert parts["database"] and not parts["valkey"] and not parts["worker"]


@pytest.mark.django_db
def test_an_unapplied_migration_is_ill(client, monkeypatch):
    from django.db.migrations.recorder import MigrationRecorder

    monkeypatch.setattr(health, "_migrated_until", 0.0)
    MigrationRecorder.Migration.objects.filter(app="sessions").delete()
    assert client.get("/healthz").json()["parts"]["migrations"] is False
