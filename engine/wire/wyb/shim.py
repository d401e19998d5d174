"""A player for the referee of Watch Your Back! that asks the program endwise.

Written by "endwise shim watchyourback"; write it again rather than edit it.
Put its directory on PYTHONPATH and name the module to the referee:

    PYTHONPATH=DIRECTORY python3 referee.py endwise_player OTHER

The program is a child process. It ends when this process does, because its
standard input ends then, and it never sees the referee's standard output. If it
dies or hangs, this file plays on by rules of its own. The environment variable
ENDWISE names another program file. Python 3.5 or later, standard library alone.
"""
import json
import os
import subprocess
import sys
import threading

BINARY = @BINARY@
ARGUMENTS = @ARGUMENTS@
ANSWER = @ANSWER@  # seconds after which a child that owes an answer hangs
READY = 20.0  # the same for one that has just been started


class Player(object):
    def __init__(self, colour):
        self._game = Game()
        self._child = None
        try:
            self._child = Child()
            # strict: the real rules have no end by shuffling on the last board.
            self._child.ask("ready", READY, type="start", colour=colour, strict=True)
        except Trouble as e:
            self._failed(e)

    def action(self, turns):
        action = None
        if self._child is not None:
            try:
                action = _tuples(self._child.ask("action", ANSWER, type="action", turns=turns)["action"])
            except Trouble as e:
                self._failed(e)
        if self._child is None:
            action = self._game.choose()
        self._game.play(action)
        return action

    def update(self, action):
        action = _tuples(action)
        self._game.play(action)
        if self._child is not None:
            try:
                self._child.ask("ok", ANSWER, type="update", action=action)
            except Trouble as e:
                self._failed(e)

    def _failed(self, why):
        """Ends the child and says why this file plays on without it."""
        if self._child is not None:
            why = self._child.end() or why
            self._child = None
        try:
            sys.stderr.write("endwise: the program that finds the moves failed: %s; this file plays on without it\n" % why)
            sys.stderr.flush()
        except (AttributeError, OSError, ValueError):
            pass  # a closed standard error is no reason to lose


class Trouble(Exception):
    """Why the child is of no use."""


class Child(object):
    """The program endwise."""

    def __init__(self):
        binary = os.environ.get("ENDWISE") or BINARY
        try:
            self._process = subprocess.Popen(
                [binary] + ARGUMENTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True)
        except OSError as e:
            raise Trouble("%s cannot be started (%s): write this file again with endwise shim watchyourback, "
                          "or set ENDWISE to the program" % (binary, e))
        self._heard = threading.Semaphore(0)
        self._lines = []
        reader = threading.Thread(target=self._read)
        reader.daemon = True
        reader.start()

    def _read(self):
        line = True
        while line:
            try:
                line = self._process.stdout.readline(65536)
            except (OSError, ValueError):
                line = b""
            self._lines.append(line)
            self._heard.release()

    def ask(self, wanted, limit, **message):
        try:
            self._process.stdin.write((json.dumps(message) + "\n").encode("ascii"))
            self._process.stdin.flush()
        except (OSError, ValueError) as e:
            raise Trouble("it does not listen: %s" % e)
        if not self._heard.acquire(timeout=limit):
            raise Trouble("it gave no answer in time")
        line = self._lines.pop(0)
        if not line:
            raise Trouble("it gave no answer")
        try:
            answer = json.loads(line.decode("ascii"))
            if answer["type"] == wanted:
                return answer
            raise Trouble(answer.get("text", answer["type"]))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise Trouble("it answered %r" % line[:80])

    def end(self):
        """Ends the child; says how it has ended by itself, "" if it has not."""
        try:
            how = "it ended with code %d" % self._process.wait(0.2)
        except subprocess.TimeoutExpired:
            how = ""
            self._process.kill()
            self._process.wait()
        try:
            self._process.stdin.close()
        except (OSError, ValueError):
            pass
        return how


STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))


class Game(object):
    """The rules, as far as a player needs them."""

    def __init__(self):
        self.at = dict(((x, y), "-") for x in range(8) for y in range(8))
        for corner in ((0, 0), (0, 7), (7, 7), (7, 0)):
            self.at[corner] = "X"
        self.moving, self.turns = False, 0

    def after(self, action):
        """A copy in which the action has been played."""
        g = Game.__new__(Game)
        g.at, g.moving, g.turns = dict(self.at), self.moving, self.turns
        g.play(action)
        return g

    def mover(self):
        return "O@"[self.turns % 2]

    def actions(self):
        """The legal actions."""
        at, mine = self.at, self.mover()
        if not self.moving:
            rows = range(0, 6) if mine == "O" else range(2, 8)
            return [s for s in at if at[s] == "-" and s[1] in rows]
        found = []
        for (x, y), piece in at.items():
            if piece != mine:
                continue
            for dx, dy in STEPS:
                near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if at.get(near) == "-":
                    found.append(((x, y), near))
                elif at.get(near) in ("O", "@") and at.get(far) == "-":
                    found.append(((x, y), far))
        return found or [None]

    def play(self, action):
        """Plays a legal action."""
        mine = self.mover()
        if action is not None:
            if self.moving:
                self.at[action[0]] = "-"
                action = action[1]
            self.enter(action, mine)
        self.turns += 1
        if not self.moving:
            if self.turns == 24:
                self.moving, self.turns = True, 0
        elif self.turns in (128, 192):
            self.shrink(1 if self.turns == 128 else 2)

    def enter(self, square, mine):
        at, (x, y) = self.at, square
        theirs = "@" if mine == "O" else "O"
        at[square] = mine
        for dx, dy in STEPS:
            near = (x + dx, y + dy)
            if at.get(near) == theirs and at.get((x + 2 * dx, y + 2 * dy)) in (mine, "X"):
                at[near] = "-"
        hostile = [at.get((x + dx, y + dy)) in (theirs, "X") for dx, dy in STEPS]
        if hostile[0] and hostile[2] or hostile[1] and hostile[3]:
            at[square] = "-"

    def shrink(self, low):
        if min(self.count("O"), self.count("@")) < 2:
            return  # the game is over
        high = 7 - low
        self.at = dict((s, piece) for s, piece in self.at.items() if low <= min(s) and max(s) <= high)
        at = self.at
        for x, y in ((low, low), (low, high), (high, high), (high, low)):
            at[x, y] = "X"
            for dx, dy in STEPS:
                near = (x + dx, y + dy)
                piece, far = at.get(near), at.get((x + 2 * dx, y + 2 * dy))
                if piece in ("O", "@") and far in ("O", "@", "X") and far != piece:
                    at[near] = "-"

    def count(self, piece):
        return list(self.at.values()).count(piece)

    def choose(self):
        """The action with the best balance of pieces after the best answer;
        among equals one near the centre, where no shrink comes."""
        mine = self.mover()
        theirs = "@" if mine == "O" else "O"

        def balance(g):
            return g.count(mine) - g.count(theirs)

        def worth(action):
            g = self.after(action)
            square = action and (action[1] if self.moving else action) or (0, 0)
            return (min(balance(g.after(answer)) for answer in g.actions()),
                    -max(abs(2 * v - 7) for v in square), -sum(abs(2 * v - 7) for v in square))

        return max(self.actions(), key=worth)


def _tuples(action):
    """Numbers of any type, tuples or lists, as the referee writes them."""
    if action is None:
        return None
    return tuple(_tuples(part) if hasattr(part, "__len__") else int(part) for part in action)
