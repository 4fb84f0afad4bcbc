"""Databases out there have run our migrations: what has landed stays as it is."""

import io

import pytest
from django.core.management import call_command

from tests import lock_migrations


def test_no_landed_migration_has_changed():
    edited = lock_migrations.changed(lock_migrations.locked(), lock_migrations.hashes())
    assert not edited, f"restore {edited} and add a migration instead"


def test_every_migration_is_locked():
    missing = set(lock_migrations.hashes()) - set(lock_migrations.locked())
    assert not missing, f"run 'python -m tests.lock_migrations' and commit the lock: {missing}"


def test_an_edited_and_a_removed_migration_are_both_noticed():
    before = {"a/0001.py": "1", "a/0002.py": "2", "b/0001.py": "3"}
    assert lock_migrations.changed(before, {"a/0001.py": "1", "a/0002.py": "9", "c/0001.py": "4"}) == [
        "a/0002.py",
        "b/0001.py",
    ]


@pytest.mark.django_db
def test_the_models_need_no_further_migration():
    said = io.StringIO()
    try:
        call_command("makemigrations", "--check", "--dry-run", stdout=said)
    except SystemExit:
        pytest.fail(f"the models have changed without a migration:\n{said.getvalue()}")
