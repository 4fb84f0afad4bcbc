"""Secrets are made once and never replaced behind anyone's back."""

import json

import pytest
from cryptography.fernet import Fernet

from launcher import keys
from launcher.refusal import Refusal


def test_keys_are_made_once(tmp_path):
    first = keys.made_once(tmp_path)
    assert keys.made_once(tmp_path) == first
    assert (tmp_path / keys.FILE).stat().st_mode & 0o777 == 0o600
    assert len(set(first.values())) == len(first)


def test_the_field_key_encrypts(tmp_path):
    box = Fernet(keys.made_once(tmp_path)["FIELD_KEYS"])
    assert box.decrypt(box.encrypt(b"id")) == b"id"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"SECRET_KEY": "a"}'])
def test_a_damaged_file_is_refused_and_kept(tmp_path, content):
    (tmp_path / keys.FILE).write_text(content)
    with pytest.raises(Refusal, match=r"keys\.json"):
        keys.made_once(tmp_path)
    assert (tmp_path / keys.FILE).read_text() == content


def test_a_new_admin_password_leaves_the_other_keys(tmp_path):
    before = keys.made_once(tmp_path)
    keys.replace_admin_password(tmp_path, "new")
    after = json.loads((tmp_path / keys.FILE).read_text())
    assert after == before | {"ADMIN_PASSWORD": "new"}
