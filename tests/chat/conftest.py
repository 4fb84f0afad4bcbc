import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connection

from launcher import ports
from tests import services
from tests.fakes import model_server
from tests.fakes.model_server import ModelServer
from tests.live import LiveSite

StartSite = Callable[..., LiveSite]


@pytest.fixture(scope="module")
def fake_models() -> Iterator[ModelServer]:
    """A model server that misbehaves on command."""
    with model_server.running() as server:
        yield server


@pytest.fixture
def models(fake_models: ModelServer, settings: object) -> ModelServer:
    """The same, as provider ``fake`` of this process."""
    settings.PROVIDERS = {**settings.PROVIDERS, "fake": {"kind": "openai", "base_url": fake_models.base_url}}
    fake_models.requests.clear()
    return fake_models


@pytest.fixture(scope="module")
def start_site(django_db_setup: None, fake_models: ModelServer, static_root: Path) -> Iterator[StartSite]:
    """``start_site(**environment)``: a web process on the *test* database, whose rows the test sees.

    For tests marked ``transaction=True``; all processes stop at the end of the file.
    """
    sites: list[LiveSite] = []

    def start(**changes: str) -> LiveSite:
        port = ports.choose()
        folder = services.temporary_folder("chat")
        environment = {
            **{name: value for name, value in os.environ.items() if name != "DEBUG"},
            "DJANGO_SETTINGS_MODULE": "tests.chat.brisk_settings",
            "DATABASE_URL": services.database_url(connection.settings_dict["NAME"]),
            "PROVIDERS": json.dumps({"fake": {"kind": "openai", "base_url": fake_models.base_url}}),
            "STATIC_ROOT": str(static_root),
            "SITE_URL": f"http://{ports.LOOPBACK}:{port}",
            "DRAIN_S": "5",
            "PYTHONUNBUFFERED": "1",
            **changes,
        }
        site = LiveSite(environment=environment, folder=folder, port=port)
        sites.append(site)
        site.process = site.start_web()
        return site

    yield start
    for site in sites:
        site.stop()


@pytest.fixture(scope="module")
def site(start_site: StartSite) -> LiveSite:
    """One web process for the whole file."""
    return start_site()
