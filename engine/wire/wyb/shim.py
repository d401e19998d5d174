"""A player for the referee of Watch Your Back! that asks the program endwise.

Written by "endwise shim watchyourback"; write it again rather than edit it.
Put its directory on PYTHONPATH and name the module to the referee:

    PYTHONPATH=DIRECTORY python3 referee.py endwise_player OTHER

The program is a child process. It ends when this process does, because its
standard input ends then, and it never sees the referee's standard output.
The environment variable ENDWISE names another program file.
"""
import json
import os
import subprocess

BINARY = @BINARY@
ARGUMENTS = @ARGUMENTS@


class Player(object):
    def __init__(self, colour):
        binary = os.environ.get("ENDWISE") or BINARY
        try:
            self._child = subprocess.Popen(
                [binary] + ARGUMENTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True)
        except OSError as e:
            raise RuntimeError("endwise: %s cannot be started (%s): write this file again with endwise shim "
                               "watchyourback, or set ENDWISE to the program" % (binary, e))
        # strict: the real rules have no end by shuffling on the last board.
        self._ask("ready", type="start", colour=colour, strict=True)

    def action(self, turns):
        action = self._ask("action", type="action", turns=turns)["action"]
        if action is None:
            return None
        if isinstance(action[0], list):
            return tuple(action[0]), tuple(action[1])
        return tuple(action)

    def update(self, action):
        self._ask("ok", type="update", action=_plain(action))

    def _ask(self, wanted, **message):
        try:
            self._child.stdin.write((json.dumps(message) + "\n").encode("ascii"))
            self._child.stdin.flush()
            line = self._child.stdout.readline()
        except (OSError, ValueError) as e:
            raise RuntimeError("endwise: the program has ended (%s)" % e)
        if not line:
            raise RuntimeError("endwise: the program has ended with status %s" % self._child.wait())
        answer = json.loads(line.decode("ascii"))
        if answer["type"] != wanted:
            raise RuntimeError("endwise: %s" % answer.get("text", line))
        return answer


def _plain(action):
    """Numbers of any type, tuples or lists, as lists of int."""
    if action is None:
        return None
    return [_plain(part) if hasattr(part, "__len__") else int(part) for part in action]
