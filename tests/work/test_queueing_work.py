"""Work is asked for in a transaction and exists exactly when that transaction does."""

import pytest
from django.db import transaction

from studyapp.work.models import Work
from studyapp.work.queue import enqueue


@pytest.mark.django_db(transaction=True)
def test_asking_twice_for_the_same_work_makes_one_row():
    first = enqueue(kind="tests.count", key="a", payload={"n": 1})
    again = enqueue(kind="tests.count", key="a", payload={"n": 2})
    assert again.pk == first.pk
    assert Work.objects.get().payload == {"n": 1}


@pytest.mark.django_db(transaction=True)
def test_work_of_a_transaction_that_fails_does_not_exist():
    with pytest.raises(RuntimeError, match="undo"), transaction.atomic():
        enqueue(kind="tests.count", key="b", payload={})
        raise RuntimeError("undo")
    assert not Work.objects.exists()
