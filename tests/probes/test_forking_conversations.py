"""After a conversation ended its state is copied and probed, and nobody sees it."""

from collections import Counter

import pytest
from django.db import IntegrityError, transaction

from studyapp.chat import conversations
from studyapp.chat.conversations import history
from studyapp.chat.exchanges import run_exchanges
from studyapp.chat.models import Attempt, Conversation, Message
from studyapp.participation.models import Visit
from studyapp.probes import forking
from studyapp.probes.models import Fork
from studyapp.work.models import Work
from tests import cast
from tests.probes.conftest import FORKS_OF_A_SESSION, PROBES, run_probes

pytestmark = pytest.mark.django_db


def test_an_ended_conversation_owes_forks_per_point_and_private_stances_once(talked):
    first, second = talked(), talked(seed=5)
    for conversation in (first, second):
        rows = Work.objects.filter(kind="probes.forks", subject=f"conversation:{conversation.pk}")
        assert {row.payload["point"] for row in rows} == {"first", "middle", "last"}
    assert Work.objects.filter(kind="probes.private").count() == 1


def test_every_planned_probe_is_put_once_in_every_cell(talked):
    conversation = talked()
    run_probes()
    forks = Fork.objects.filter(origin=conversation)
    assert forks.count() == FORKS_OF_A_SESSION
    cells = Counter(forks.values_list("persona", "history"))
    assert cells == dict.fromkeys([(True, True), (True, False), (False, True), (False, False)], 12)
    assert set(forks.values_list("point", "turn")) == {("first", 1), ("middle", 2), ("last", 3)}
    assert not Work.objects.filter(kind="probes.forks").exclude(state="done").exists()


def test_a_fork_holds_the_exact_state_and_only_the_probe_is_added(talked):
    conversation = talked()
    run_probes()
    for fork in Fork.objects.filter(origin=conversation, persona=True, history=True).select_related(
        "exchange"
    ):
        exchange = fork.exchange
        assert exchange.kind == "fork" and exchange.state == "ended"
        assert exchange.continues == conversation
        assert history(exchange)[:-2] == history(conversation, until=exchange.continues_until)
        assert exchange.brief["persona"] == conversation.brief["persona"]
        assert exchange.brief["model"] == conversation.brief["model"]
        question, reply = exchange.messages.order_by("position")
        assert question.text == exchange.tasks.get().text
        assert reply.role == "agent" and reply.state == "complete" and reply.text
        replies = [turn for turn in history(exchange)[:-2] if turn.role == "agent"]
        # The opening is the agent's too.
        assert len(replies) - bool(conversation.brief["opening"]) == fork.turn


def test_shadows_leave_out_persona_or_history_or_both(talked):
    conversation = talked()
    run_probes()
    for fork in Fork.objects.filter(origin=conversation).select_related("exchange"):
        exchange = fork.exchange
        assert (exchange.continues_id is not None) == fork.history
        assert exchange.brief["context"]["persona"] is fork.persona
        assert exchange.brief["context"]["history"] is fork.history
        prompt = Attempt.objects.get(message__conversation=exchange).system_prompt
        assert bool(prompt) is fork.persona
        if not fork.history:
            assert len(history(exchange)) == 2


def test_the_probe_is_worded_by_the_study_and_its_task_tells_coders_what_it_is(talked):
    conversation = talked()
    run_probes()
    study = conversation.visit.session.version.document
    claims = {claim["key"]: claim for claim in study["cards"]["claims"]}
    for fork in Fork.objects.filter(origin=conversation).select_related("exchange"):
        task = fork.exchange.tasks.get()
        claim = claims[fork.probe]
        assert task.key == fork.probe
        assert task.text == study["cards"]["stated"][fork.stated].replace("{claim}", claim["claim"])
        assert task.context == {
            "claim": {"key": claim["key"], "text": claim["claim"], "truth": claim["truth"]},
            "stated": fork.stated,
            "draw": fork.draw,
        }


def test_nothing_of_a_fork_enters_the_conversation_or_the_participants_way(talked):
    conversation = talked()
    visits = Visit.objects.count()
    before = list(conversation.messages.values())
    brief, session = conversation.brief, conversation.visit.session
    run_probes()
    conversation.refresh_from_db()
    assert list(conversation.messages.values()) == before
    assert conversation.brief == brief and conversation.tasks.count() == 0
    assert Visit.objects.count() == visits
    seen = set(session.visits.exclude(conversation=None).values_list("conversation_id", flat=True))
    assert seen == {conversation.pk}
    assert not Visit.objects.filter(conversation__kind="fork").exists()


def test_running_again_adds_nothing(talked):
    conversation = talked()
    run_probes()
    exchanges = Conversation.objects.filter(kind="fork").count()
    for point in PROBES["points"]:
        forking.run_forks({"conversation": str(conversation.pk), "point": point})
    assert Conversation.objects.filter(kind="fork").count() == exchanges
    assert Fork.objects.filter(origin=conversation).count() == FORKS_OF_A_SESSION


def test_a_run_that_stopped_half_way_goes_on_where_it_was(talked, settings, monkeypatch):
    settings.PROVIDERS = {"demo": {"kind": "demo", "parallel": 1}}
    conversation = talked()
    asked: list[int] = []

    def dies_after_one_batch(specs, *, parallel):
        if asked:
            raise ConnectionError("the worker dies here")
        asked.append(len(specs))
        return run_exchanges(specs, parallel=parallel)

    payload = {"conversation": str(conversation.pk), "point": "first"}
    with monkeypatch.context() as patched:
        patched.setattr(forking, "run_exchanges", dies_after_one_batch)
        with pytest.raises(ConnectionError):
            forking.run_forks(payload)
    assert Fork.objects.filter(origin=conversation).count() == asked[0] == forking.BATCH_PER_LANE
    kept = set(Fork.objects.values_list("pk", flat=True))
    forking.run_forks(payload)
    forks = Fork.objects.filter(origin=conversation)
    assert forks.count() == FORKS_OF_A_SESSION // 3
    assert kept <= set(forks.values_list("pk", flat=True))
    assert Conversation.objects.filter(kind="fork").count() == forks.count()


def test_a_conversation_that_is_gone_owes_nothing(talked):
    conversation = talked()
    gone = str(conversation.pk)
    Visit.objects.filter(conversation=conversation).update(conversation=None)
    conversation.delete()
    forking.run_forks({"conversation": gone, "point": "first"})
    assert not Fork.objects.exists() and not Conversation.objects.filter(kind="fork").exists()


def test_a_conversation_erased_while_it_is_probed_leaves_nothing(talked, monkeypatch):
    conversation = talked()

    def erased_meanwhile(specs, *, parallel):
        exchanges = run_exchanges(specs, parallel=parallel)
        Conversation.objects.filter(pk__in=[each.pk for each in exchanges]).update(continues=None)
        Visit.objects.filter(conversation=conversation).update(conversation=None)
        Conversation.objects.filter(pk=conversation.pk).delete()
        return exchanges

    monkeypatch.setattr(forking, "run_exchanges", erased_meanwhile)
    forking.run_forks({"conversation": str(conversation.pk), "point": "first"})
    assert not Fork.objects.exists()
    assert not Conversation.objects.filter(kind="fork").exists()


def test_two_workers_on_one_point_keep_one_set_of_forks(talked, monkeypatch):
    conversation = talked()
    payload = {"conversation": str(conversation.pk), "point": "last"}

    def overtaken(specs, *, parallel):
        monkeypatch.setattr(forking, "run_exchanges", run_exchanges)
        forking.run_forks(payload)
        return run_exchanges(specs, parallel=parallel)

    monkeypatch.setattr(forking, "run_exchanges", overtaken)
    forking.run_forks(payload)
    assert Fork.objects.filter(origin=conversation).count() == FORKS_OF_A_SESSION // 3


def test_deleting_a_conversation_takes_its_forks_and_their_exchanges(talked):
    conversation = talked()
    run_probes()
    private = Conversation.objects.filter(fork__battery="private").count()
    session = conversation.visit.session
    session.visits.all().delete()
    Conversation.objects.filter(pk=conversation.pk).delete()
    assert not Fork.objects.exclude(battery="private").exists()
    assert Conversation.objects.filter(kind="fork").count() == private > 0


def test_a_short_conversation_has_as_many_probes_on_fewer_turns(talked):
    conversation = talked(times=1)
    run_probes()
    forks = Fork.objects.filter(origin=conversation)
    assert forks.count() == FORKS_OF_A_SESSION
    assert set(forks.values_list("point", "turn")) == {("first", 1), ("middle", 1), ("last", 1)}


def test_a_conversation_without_a_reply_owes_no_probes(talked):
    talked(times=0)
    assert not Work.objects.filter(kind__startswith="probes.").exists()


def test_only_the_main_conversation_is_forked(study):
    session = cast.arrives(study)
    cast.walk(session, to="code")
    kinds = set(session.visits.exclude(conversation=None).values_list("conversation__kind", flat=True))
    assert kinds == {"main", "cards"}
    run_probes()
    assert set(Fork.objects.exclude(origin=None).values_list("origin__kind", flat=True)) == {"main"}


def test_a_failed_reply_of_the_conversation_is_no_turn_of_its_state(talked):
    conversation = talked()
    last = conversation.messages.filter(role="agent").order_by("-position").first()
    Message.objects.filter(pk=last.pk).update(state="failed", failure="cut", text="half a se")
    run_probes()
    turns = dict(Fork.objects.filter(origin=conversation).values_list("point", "turn"))
    assert turns == {"first": 1, "middle": 1, "last": 2}
    assert not any(
        "half a se" in turn.text
        for fork in Fork.objects.filter(origin=conversation, history=True)
        for turn in history(fork.exchange)
    )


def test_the_database_refuses_the_same_fork_twice(talked):
    conversation = talked()
    run_probes()
    fork = Fork.objects.filter(origin=conversation).first()
    other = conversations.start(kind="fork", brief=conversations.brief_of(conversation), seed=1)
    fork.pk, fork.exchange = None, other
    with pytest.raises(IntegrityError, match="fork_once"), transaction.atomic():
        fork.save()


def test_the_same_study_and_seed_give_the_same_replies(talked):
    """Forks are replayable: what was asked and answered descends from the conversation's stored seed."""
    conversation = talked()
    run_probes()

    def said() -> list[tuple]:
        forks = Fork.objects.filter(origin=conversation).select_related("exchange")
        return sorted(
            (
                f.turn,
                f.probe,
                f.stated,
                f.persona,
                f.history,
                f.draw,
                f.exchange.messages.get(position=1).text,
            )
            for f in forks
        )

    before = said()
    Fork.objects.filter(origin=conversation).delete()
    assert not Conversation.objects.filter(kind="fork", continues=conversation).exists()
    for point in PROBES["points"]:
        forking.run_forks({"conversation": str(conversation.pk), "point": point})
    assert said() == before
