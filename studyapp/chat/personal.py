"""What this room keeps about a person."""

from studyapp.personal import PersonalRows

from .models import Attempt, Conversation, Message, Task

PERSONAL = [
    PersonalRows(
        model=Conversation,
        by="conversation",
        path="id",
        what="That you had a conversation with the study's AI, when, and how it was set up",
        why="The study compares conversations",
    ),
    PersonalRows(
        model=Task,
        by="conversation",
        path="conversation_id",
        what="Which of the study's statements you asked the AI about, and when",
        why="The study looks at how the AI answers them",
    ),
    PersonalRows(
        model=Message,
        by="conversation",
        path="conversation_id",
        what="What you wrote to the AI and what it replied, with times",
        why="The study looks at what was said and how it felt",
    ),
    PersonalRows(
        model=Attempt,
        by="conversation",
        path="message__conversation_id",
        what="The instructions the AI was given for each reply, which model answered and at what cost",
        why="Anyone must be able to check what the AI was told to do",
    ),
]
