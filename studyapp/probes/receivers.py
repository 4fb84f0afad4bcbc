"""When a conversation ends, what is owed: its forks, and its agent's private stances."""

from typing import Any

from django.dispatch import receiver

from studyapp.chat.conversations import brief_of, turns_done
from studyapp.chat.models import Conversation
from studyapp.chat.signals import conversation_ended
from studyapp.probes import forking, private
from studyapp.probes.answering import agent_sha256
from studyapp.studies.document import Document
from studyapp.studies.models import StudyVersion
from studyapp.work.queue import enqueue


@receiver(conversation_ended)
def owe_probes(sender: object, conversation: Conversation, **kwargs: Any) -> None:
    """Write the work a main conversation with a reply gives rise to, where its study probes at all."""
    if conversation.kind != Conversation.Kind.MAIN:
        return
    brief = brief_of(conversation)
    came_from = brief.context.get("origin")
    if came_from is None or turns_done(conversation) == 0:
        return
    version = StudyVersion.objects.get(pk=came_from["version"])
    probes = Document.of(version).study.probes
    if probes is None:
        return
    for point in probes.points:
        enqueue(
            kind=forking.KIND,
            key=f"{conversation.pk}:{point}",
            subject=f"conversation:{conversation.pk}",
            payload={"conversation": str(conversation.pk), "point": point},
        )
    enqueue(
        kind=private.KIND,
        key=f"{version.pk}:{agent_sha256(brief)}",
        payload={
            "version": version.pk,
            "condition": came_from["condition"],
            "provider": brief.provider,
            "model": brief.model,
            "parameters": brief.parameters,
            **({"truth": brief.context["truth"]} if "truth" in brief.context else {}),
        },
    )
