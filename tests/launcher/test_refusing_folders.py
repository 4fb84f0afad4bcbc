"""A folder or a port that cannot be used: one line that says why and what to do, and nothing changed."""

import socket
from pathlib import Path

import pytest

from launcher import ports
from tests.launcher.starting import new_folder, refused


def test_a_folder_with_other_files_is_left_alone():
    folder = new_folder()
    folder.mkdir()
    (folder / "thesis.odt").write_text("precious")
    said = refused(folder, ports.choose())
    assert f"{folder} holds other files" in said and "make run DATA_DIR=" in said
    assert [entry.name for entry in folder.iterdir()] == ["thesis.odt"]


def test_a_file_in_the_place_of_the_folder_is_refused():
    file = new_folder()
    file.write_text("not a folder")
    assert f"{file} is a file, not a folder" in refused(file, ports.choose())
    assert file.read_text() == "not a folder"


@pytest.mark.parametrize("place", ["/proc/plainheart", "/dev/null/data"])
def test_a_folder_that_cannot_be_made_is_refused(place):
    assert f"{place} cannot be used as a data folder" in refused(Path(place), ports.choose())


def test_a_damaged_marker_is_refused():
    folder = new_folder()
    folder.mkdir()
    (folder / "plainheart.json").write_text("{")
    assert "plainheart.json is damaged" in refused(folder, ports.choose())


def test_a_port_that_is_no_number_is_refused():
    assert "PORT=http is not a port" in refused(new_folder(), 1, PORT="http")


def test_a_host_that_is_not_ours_is_refused():
    # 192.0.2.0/24 is kept for documentation: no machine has it.
    assert "Cannot listen on HOST=192.0.2.1" in refused(new_folder(), ports.choose(), HOST="192.0.2.1")


def test_a_database_that_does_not_answer_is_named():
    with socket.create_server((ports.LOOPBACK, 0)) as nobody:
        port = nobody.getsockname()[1]
    url = f"postgresql://someone@{ports.LOOPBACK}:{port}/study"
    said = refused(new_folder(), ports.choose(), DATABASE_URL=url)
    assert "The database that DATABASE_URL names does not answer" in said
