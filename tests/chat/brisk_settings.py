"""Settings of web processes under test: processes are given up for dead soon, so that tests need not wait."""

from studyapp.settings import *  # noqa: F403

PROCESS_BEAT_S = 0.3
PROCESS_DEAD_S = 1.5
