"""What the supervisor does with children, on small real ones."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import psutil

from launcher import child
from launcher.locate import PROJECT
from tests.waiting import until


def command(tmp_path, code, **options):
    return child.Command(
        name="child", argv=(sys.executable, "-c", textwrap.dedent(code)), log=tmp_path / "log", **options
    )


def test_a_child_that_ignores_term_is_killed_after_its_grace(tmp_path):
    started = child.start(
        command(
            tmp_path,
            """
            import signal, time
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            print("deaf", flush=True)
            time.sleep(60)
            """,
            grace_s=0.3,
        )
    )
    until(lambda: "deaf" in child.tail(tmp_path / "log"), 10)
    began = time.monotonic()
    started.stop()
    assert started.code == -signal.SIGKILL
    assert time.monotonic() - began < 5


def test_what_a_child_leaves_in_its_group_ends_with_it(tmp_path):
    started = child.start(
        command(
            tmp_path,
            """
            import subprocess, sys
            left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
            print(left.pid, flush=True)
            """,
        )
    )
    until(lambda: child.tail(tmp_path / "log").strip().isdigit(), 10)
    left = int(child.tail(tmp_path / "log"))
    until(started.has_ended, 10)
    until(lambda: not psutil.pid_exists(left) or psutil.Process(left).status() == "zombie", 5)


def test_a_child_dies_when_its_parent_is_killed(tmp_path):
    code = """
        import sys, time
        from pathlib import Path
        from launcher import child
        asleep = (sys.executable, "-c", "import time; time.sleep(60)")
        print(child.start(child.Command("asleep", asleep, Path(sys.argv[1]))).pid, flush=True)
        time.sleep(60)
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "log")],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
    )
    pid = int(parent.stdout.readline())
    assert psutil.pid_exists(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie", 5)


def test_a_child_is_the_head_of_its_own_group(tmp_path):
    started = child.start(command(tmp_path, "import time; time.sleep(60)"))
    assert os.getpgid(started.pid) == started.pid != os.getpgid(0)
    started.stop()
