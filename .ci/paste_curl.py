"""Runs the curl commands that the chapel prints, as a newcomer who pastes them would."""

import re
import subprocess
import sys


def commands(log):
    """The commands, each from a line that starts with curl to the last line it continues on."""
    joined = log.replace("\\\n", " ")
    return [line.strip() for line in joined.splitlines() if re.match(r"\s*curl ", line)]


def main():
    found = commands(open(sys.argv[1], encoding="utf-8").read())
    if len(found) < 4:
        sys.exit(f"the chapel printed {len(found)} curl commands, not four")
    for command in found:
        reply = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=30)
        print(f"$ {command}\n{reply.stdout}")
        if reply.returncode != 0 or not reply.stdout.strip() or '"error"' in reply.stdout:
            sys.exit(f"it failed: {reply.returncode} {reply.stderr}")


main()
