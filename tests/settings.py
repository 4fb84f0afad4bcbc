"""The settings under test: the services are up before Django reads where they are."""

from tests import services

services.start()

from studyapp.settings import *  # noqa: E402, F403

# A fast hash: no test is about the hash of staff passwords.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# In-process tests render pages without collectstatic; the live site uses the real storage.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
