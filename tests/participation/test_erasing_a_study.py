"""A study can be deleted with everything attached, and nothing of its people stays behind."""

import pytest
from django.contrib.auth import get_user_model

from studyapp.chat.models import Conversation
from studyapp.participation import erasure, invariants
from studyapp.participation.models import Allocation, Event, Participant
from studyapp.studies.models import AuditEntry, Study, StudyVersion
from surveys.models import Administration
from tests import cast

pytestmark = pytest.mark.django_db(transaction=True)


def _run_two_people() -> Study:
    study = cast.study()
    for _ in range(2):
        cast.walk(cast.arrives(study), to="code")
    return study


def test_a_study_goes_with_its_people_versions_and_logs():
    study = _run_two_people()
    assert erasure.erase_study(study=study) == 2
    for model in (Study, StudyVersion, Participant, Allocation, Event, Administration, Conversation):
        assert not model.objects.exists(), model.__name__
    assert invariants.broken() == []
    assert AuditEntry.objects.filter(action="erase_study", study_slug=study.slug).exists()


def test_an_administrator_deletes_a_study_in_the_admin(client):
    study = _run_two_people()
    user = get_user_model().objects.create_superuser("root", password="a-long-password")
    client.force_login(user)
    asked = client.get(f"/admin/studies/study/{study.pk}/delete/")
    assert "2 participants with all they gave" in asked.content.decode()
    client.post(f"/admin/studies/study/{study.pk}/delete/", {"post": "yes"})
    assert not Study.objects.exists()
    assert not Participant.objects.exists()
