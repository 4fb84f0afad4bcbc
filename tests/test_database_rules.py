"""What PostgreSQL itself refuses and removes, whoever asks."""

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from studyapp.chat.models import Attempt, Conversation, Message
from studyapp.participation.models import Allocation, Draw, Event, Visit
from studyapp.studies.models import StudyVersion
from surveys.models import Administration, Response, ScaleVersion
from tests import cast

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ran():
    session = cast.arrives(cast.study())
    cast.walk(session, to="code")
    return session


def _execute(sql: str, *parameters: object) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, parameters)


@pytest.mark.parametrize("model", [StudyVersion, ScaleVersion], ids=lambda m: m.__name__)
def test_a_frozen_document_cannot_be_changed(ran, model):
    before = model.objects.first().document
    with pytest.raises((IntegrityError, DatabaseError), match="write-once"):
        model.objects.filter(pk=model.objects.first().pk).update(document={"changed": True})
    assert model.objects.first().document == before


@pytest.mark.parametrize("model", [Event, Draw, Allocation], ids=lambda m: m.__name__)
def test_a_log_can_be_neither_changed_nor_deleted(ran, model):
    row = model.objects.first()
    assert row is not None
    with pytest.raises((IntegrityError, DatabaseError), match="append-only"):
        model.objects.filter(pk=row.pk).update(at=None)
    with pytest.raises((IntegrityError, DatabaseError), match="append-only"):
        _execute(f"DELETE FROM {model._meta.db_table} WHERE id = %s", row.pk)
    assert model.objects.filter(pk=row.pk).exists()


def test_an_erasure_may_take_the_pointer_from_an_allocation_and_nothing_else(ran):
    with transaction.atomic():
        _execute("SET LOCAL plainheart.erasing = 'on'")
        Allocation.objects.update(session=None)
    assert Allocation.objects.get().session is None
    with pytest.raises((IntegrityError, DatabaseError), match="append-only"), transaction.atomic():
        _execute("SET LOCAL plainheart.erasing = 'on'")
        Allocation.objects.update(condition_slug="another")


def test_deleting_visits_deletes_the_answers_and_conversations_they_point_to(ran):
    assert Message.objects.exists()
    assert Attempt.objects.exists()
    assert Response.objects.exists()
    _execute("DELETE FROM participation_visit WHERE session_id = %s", ran.pk)
    for model in (Visit, Conversation, Message, Attempt, Administration, Response):
        assert not model.objects.exists(), model.__name__
