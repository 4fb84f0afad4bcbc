"""What a conversation tells the rooms above.

Receivers run inside the sender's transaction: they write rows and do nothing else.
"""

from django.dispatch import Signal

# conversation: Conversation, just ended.
conversation_ended = Signal()
# messages: list[Message], agent messages that became complete or failed.
turn_finished = Signal()
# conversation: Conversation; message: Message (the participant's); hits: list[safety.notice.Hit].
distress_noticed = Signal()
# conversation: Conversation; message: Message; removed: int, characters PostgreSQL cannot hold.
text_cleaned = Signal()
# attempts: list[Attempt], ended calls to a provider, failed ones included.
spend_recorded = Signal()
