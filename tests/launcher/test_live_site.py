"""The fixtures that other tests stand on."""

import json

from playwright.sync_api import expect

from tests.waiting import until


def test_a_live_site_answers_with_its_own_database_and_valkey(live_site):
    status, body = live_site.get("/healthz")
    parts = json.loads(body)["parts"]
    assert parts["web"] and parts["database"] and parts["valkey"], body
    assert not parts["worker"] and not parts["beat"]
    assert status == 503


def test_static_files_are_served_beside_django(live_site):
    status, _ = live_site.get("/static/admin/css/base.css")
    assert status == 200
    status, _ = live_site.get("/static/../manage.py")
    assert status == 404


def test_a_browser_opens_a_page_at_phone_size(browser_page):
    page = browser_page("phone", strict=False)
    page.goto("/admin/login/")
    expect(page.locator("input[name=username]")).to_be_visible()
    assert page.viewport_size == {"width": 390, "height": 844}


def test_every_part_is_well_once_worker_and_beat_run(live_site, live_worker):
    until(
        lambda: live_site.get("/healthz")[0] == 200,
        30,
        lambda: live_site.log("worker") + live_site.log("beat"),
    )
    assert json.loads(live_site.get("/healthz")[1])["ok"] is True


def test_manage_commands_run_on_the_database_of_the_live_site(live_site):
    [(before,)] = live_site.query("SELECT count(*) FROM auth_user")
    live_site.manage(
        "shell", "-c", "from django.contrib.auth.models import User; User.objects.create(username='x')"
    )
    assert live_site.query("SELECT count(*) FROM auth_user") == [(before + 1,)]
