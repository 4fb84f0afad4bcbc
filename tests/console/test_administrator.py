"""The administrator that the launcher makes."""

import io

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db


def ensure_admin(*arguments):
    said = io.StringIO()
    call_command("ensure_admin", *arguments, stdout=said)
    return said.getvalue().strip()


@pytest.fixture(autouse=True)
def named(monkeypatch):
    monkeypatch.setenv("ADMIN_USER", "ada")
    monkeypatch.setenv("ADMIN_PASSWORD", "first-password")


def test_an_administrator_is_made_once():
    assert ensure_admin() == "made: ada"
    assert ensure_admin() == "there: ada"
    user = get_user_model().objects.get()
    assert user.is_superuser and user.is_staff and user.check_password("first-password")


def test_a_password_changed_by_hand_is_kept():
    ensure_admin()
    user = get_user_model().objects.get()
    user.set_password("their-own")
    user.save()
    assert ensure_admin() == "kept: ada, whose password was changed since"
    assert get_user_model().objects.get().check_password("their-own")


def test_reset_sets_the_password_and_lets_them_in_again(monkeypatch):
    ensure_admin()
    get_user_model().objects.update(is_active=False)
    monkeypatch.setenv("ADMIN_PASSWORD", "second-password")
    assert ensure_admin("--reset") == "new password: ada"
    user = get_user_model().objects.get()
    assert user.is_active and user.check_password("second-password")


def test_without_a_name_it_is_refused(monkeypatch):
    monkeypatch.delenv("ADMIN_USER")
    with pytest.raises(CommandError, match="ADMIN_USER"):
        ensure_admin()
