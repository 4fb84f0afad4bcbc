"""Everything a researcher sees in the admin is registered in ``registration``, one file a room."""

from studyapp.console.registration import (  # noqa: F401
    answers,
    conversations,
    judgements,
    participants,
    studies,
    waiting_work,
)
