"""Headers and codebook of a fixed study against files kept here: a change of the data set is seen.

To renew them after a change that is meant, run this test with RENEW_GOLDEN=1 and read the difference.
"""

import os
from pathlib import Path

import pytest

from tests import cast
from tests.exports import small_data

GOLDEN = Path(__file__).with_name("golden")


def lasting(folder: Path) -> dict[str, str]:
    """What of a data set does not depend on ids, times or draws."""
    found = {
        "headers.txt": "".join(
            f"{path.name}: {','.join(small_data.header(folder, path.name.split('description-')[1][:-9]))}\n"
            for path in sorted(folder.glob("data/*.csv"))
        )
    }
    for name in ("codebook.csv", "dataset_description.json", "load.R"):
        found[name] = (folder / name).read_text(encoding="utf-8")
    return found


@pytest.mark.django_db(transaction=True)
def test_headers_and_codebook_are_the_kept_ones(tmp_path: Path) -> None:
    made = small_data.study()
    cast.arrives(made)
    out = tmp_path / "out"
    small_data.export(made, out, with_text=True, identified=True)
    for name, text in lasting(out).items():
        if os.environ.get("RENEW_GOLDEN"):
            GOLDEN.mkdir(exist_ok=True)
            (GOLDEN / name).write_text(text, encoding="utf-8", newline="\n")
        kept = (GOLDEN / name).read_text(encoding="utf-8")
        assert text.splitlines() == kept.splitlines(), f"{name} differs from the golden one"
