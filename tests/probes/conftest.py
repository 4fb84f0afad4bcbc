"""A cast study that probes as the demo study does, and somebody who has talked in it."""

from collections.abc import Callable

import pytest

from studyapp.chat import conversations
from studyapp.chat.models import Conversation
from studyapp.participation.models import Session
from studyapp.studies.models import Study
from studyapp.work.runner import run_due
from tests import cast

PROBES = {
    "points": ["first", "middle", "last"],
    "per_session": 6,
    "draws": 2,
    "shadows": True,
    "private_draws": 3,
}
FORKS_OF_A_SESSION = 6 * 4 * 2
PRIVATE_REPLIES = 8 * 3

Talked = Callable[..., Conversation]


@pytest.fixture(autouse=True)
def _no_nudges(settings) -> None:
    settings.WORK_NUDGES = False


@pytest.fixture
def study(db) -> Study:
    return cast.study(probes=PROBES)


@pytest.fixture
def talked(study: Study) -> Talked:
    """``talked(times=3)``: the main conversation of somebody who said that much, ended."""

    def talk(*, times: int = 3, seed: int = cast.SEED, of: Study = study) -> Conversation:
        session: Session = cast.arrives(of, seed=seed)
        visit = cast.walk(session, to="talk")
        cast.talk(visit, times=times)
        conversations.end(conversation=visit.conversation, reason="left")
        return visit.conversation

    return talk


def run_probes() -> int:
    return run_due(kinds=["probes.forks", "probes.private"])


def run_codes() -> int:
    return run_due(kinds=["verdicts.code"])
