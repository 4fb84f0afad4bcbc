"""/healthz: which parts of the platform answer, for the launcher, the compose file and whoever watches."""

import time

import redis
from celery.signals import beat_init, before_task_publish
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from studyapp.celery import app

# Beat sends every 10 s (studyapp/celery.py). Three may be missed: a busy worker is late, not dead.
SEEN_FOR_S = 35
WORKER_KEY, BEAT_KEY = "health:worker", "health:beat"
MIGRATIONS_FOR_S = 60.0

_migrated_until = 0.0


def _valkey() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2)


def _see(key: str) -> None:
    client = _valkey()
    client.set(key, int(time.time()), ex=SEEN_FOR_S)
    client.close()


@app.task(name="health.heartbeat", expires=SEEN_FOR_S)
def heartbeat() -> None:
    """Sent by beat, run by a worker: that it ran shows the worker, that it was sent shows beat."""
    _see(WORKER_KEY)


@before_task_publish.connect(sender=heartbeat.name)
def _sent(**_) -> None:
    _see(BEAT_KEY)


@beat_init.connect
def _first(**_) -> None:
    # Beat waits one interval before it sends a new entry; a start should not wait with it.
    heartbeat.delay()


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """``{ok, parts}``, 200 when every part answers and 503 otherwise. Says nothing about any study."""
    parts = {
        "web": True,
        "database": False,
        "migrations": False,
        "valkey": False,
        "worker": False,
        "beat": False,
    }
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        parts["database"] = True
        parts["migrations"] = _is_migrated()
    except DatabaseError:
        connection.close()
    client = _valkey()
    try:
        worker, beat = client.mget(WORKER_KEY, BEAT_KEY)
        parts |= {"valkey": True, "worker": worker is not None, "beat": beat is not None}
    except redis.RedisError:
        pass
    finally:
        client.close()
    ok = all(parts.values())
    return JsonResponse({"ok": ok, "parts": parts}, status=200 if ok else 503)


def _is_migrated() -> bool:
    # Reading every migration takes tens of milliseconds, and what has been applied seldom is undone.
    global _migrated_until
    if time.monotonic() >= _migrated_until:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return False
        _migrated_until = time.monotonic() + MIGRATIONS_FOR_S
    return True
