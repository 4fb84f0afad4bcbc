"""Looking for a person everywhere something could have been kept."""

import redis
from django.conf import settings
from django.db import connection


def everywhere(*needles: str) -> list[str]:
    """Where any of ``needles`` is found: "table.column" of every table of the database, "valkey key"."""
    found = set()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
        )
        for table, column in cursor.fetchall():
            for needle in needles:
                cursor.execute(
                    f'SELECT 1 FROM "{table}" WHERE position(%s in "{column}"::text) > 0 LIMIT 1', [needle]
                )
                if cursor.fetchone():
                    found.add(f"{table}.{column}")
    with redis.Redis.from_url(settings.REDIS_URL) as store:
        for key in store.scan_iter(match="*"):
            content = key + repr(_content(store, key)).encode()
            found |= {f"valkey {key!r}" for needle in needles if needle.encode() in content}
    return sorted(found)


def _content(store: redis.Redis, key: bytes) -> object:
    match store.type(key):
        case b"string":
            return store.get(key)
        case b"list":
            return store.lrange(key, 0, -1)
        case b"stream":
            return store.xrange(key)
        case b"hash":
            return store.hgetall(key)
        case b"set":
            return store.smembers(key)
        case _:
            return None
