"""Settings of a web process that also serves tests/chat/page_urls.py."""

from tests.chat.brisk_settings import *  # noqa: F403
from tests.chat.brisk_settings import BASE_DIR, TEMPLATES

ROOT_URLCONF = "tests.chat.page_urls"
TEMPLATES = [{**TEMPLATES[0], "DIRS": [BASE_DIR / "templates", BASE_DIR / "tests" / "chat" / "templates"]}]
