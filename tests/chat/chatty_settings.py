"""Settings of a web process that tells its listeners soon that it is still there."""

from studyapp.settings import *  # noqa: F403

STREAM_COMMENT_S = 0.5
