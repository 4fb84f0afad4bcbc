"""``python -m launcher.password``: a new generated password for the administrator (``make password``)."""

import os
import sys

from launcher import child, keys, locate, processes
from launcher.refusal import Refusal


def main() -> int:
    path = locate.data_dir()
    try:
        environment = locate.environment(path)
        new = keys.password()
        user = keys.read(path)["ADMIN_USER"]
        code, said = child.run(
            processes.manage("ensure_admin", "--reset"),
            environment={**os.environ, **environment, "ADMIN_USER": user, "ADMIN_PASSWORD": new},
            directory=locate.PROJECT,
        )
        if code:
            raise Refusal(f"The password was not changed:\n{said.strip()}")
        keys.replace_admin_password(path, new)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    print(f"user      {user}\npassword  {new}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
