"""What beat does for conversations: replies that no process works on any more are finished in a worker."""

from datetime import timedelta

from studyapp.celery import app

from . import beating, claiming
from .finishing import finish_here

# A web process claims at once; only what it could not take is left for so long.
GRACE = timedelta(seconds=10)
# As often as beat sends it (studyapp/celery.py); one that waited for longer is superseded.
EVERY_S = 15.0


@app.task(name="chat.finish_abandoned", expires=EVERY_S)
def finish_abandoned() -> int:
    """Finish replies owed by nobody; returns how many there were."""
    owed = list(claiming.unowned(older_than=GRACE).values_list("pk", flat=True))
    for message_id in owed:
        finish_here(message_id)
    beating.sweep()
    return len(owed)
