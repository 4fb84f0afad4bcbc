"""Every admin page opens, shows what it is for, and lets nobody type over evidence."""

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.urls import reverse

from studyapp.participation.models import Participant
from tests import cast

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def researcher(client):
    client.force_login(get_user_model().objects.create_superuser("root", password="a-long-password"))
    return client


@pytest.fixture
def ran():
    study = cast.study()
    session = cast.arrives(study, recruitment_id="RECRUITED-ABC")
    cast.walk(session, to="code")
    return session


def _ours():
    return [model for model in admin.site._registry if not model.__module__.startswith("django.")]


@pytest.mark.parametrize("model", _ours(), ids=lambda model: model.__name__)
def test_its_list_and_first_page_open(researcher, ran, model):
    names = (model._meta.app_label, model._meta.model_name)
    listing = researcher.get(reverse("admin:{}_{}_changelist".format(*names)))
    assert listing.status_code == 200
    row = model._default_manager.first()
    if row is not None:
        page = researcher.get(reverse("admin:{}_{}_change".format(*names), args=[row.pk]))
        assert page.status_code == 200
        assert "RECRUITED-ABC" not in page.content.decode()


def test_a_participant_is_evidence_and_cannot_be_typed_over(researcher, ran):
    person = Participant.objects.get()
    address = reverse("admin:participation_participant_change", args=[person.pk])
    assert researcher.post(address, {"code": "CHANGED"}).status_code == 403
    assert researcher.get(reverse("admin:participation_participant_add")).status_code == 403
    person.refresh_from_db()
    assert person.code != "CHANGED"


def test_the_study_page_links_to_a_preview_of_each_condition(researcher, ran):
    page = researcher.get(reverse("admin:studies_study_change", args=[ran.study.pk])).content.decode()
    assert page.count("/preview/") == ran.study.conditions.count()


def test_the_admin_has_a_policy_of_its_own_and_pages_a_strict_one(researcher, ran):
    in_admin = researcher.get("/admin/").headers["Content-Security-Policy"]
    on_page = researcher.get(f"/s/{ran.study.slug}/").headers["Content-Security-Policy"]
    assert "'unsafe-eval'" in in_admin
    assert "unsafe" not in on_page
