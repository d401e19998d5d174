"""A player for the referee of Watch Your Back! that runs the program endwise.

Written by "endwise shim watchyourback"; run that command again instead of
editing this file. Put the directory of this file on PYTHONPATH and pass the name
of the module to the referee:

    PYTHONPATH=DIRECTORY python3 referee.py endwise_player OTHER

The program is the one that the environment variable ENDWISE names, otherwise the
file endwise next to this one, otherwise endwise on the PATH. It runs as a child
process, which ends with this process. If it fails or hangs, this file plays
simple moves. Needs Python 3.5 or later and only its standard library.
"""
import os
import sys

BINARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "endwise.exe" if os.name == "nt" else "endwise")
ARGUMENTS = @ARGUMENTS@
ANSWER = @ANSWER@  # seconds to wait for an answer of the child
READY = 20.0  # seconds to wait for its first answer


class Player(object):
    def __init__(self, colour):
        self._game = Game()
        self._child = None
        try:
            self._child = Child()
            # strict: by the real rules, a game without eliminations never ends.
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
        """Ends the child and reports the reason."""
        if self._child is not None:
            why = self._child.end() or why
            self._child = None
        _say("endwise: the program that finds the moves failed: %s; this file plays on without it" % why)


class Trouble(Exception):
    """The reason why the child cannot be used."""


def _say(text):
    """Writes a line to standard error. It is ASCII, because the encoding is unknown."""
    try:
        sys.stderr.write(text.encode("ascii", "backslashreplace").decode("ascii") + "\n")
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        pass  # standard error is closed


def _library(*names):
    """Imports modules of the standard library, even if the rest of the module path
    has files with the same names. The referee can then still import these files."""
    library = os.path.dirname(os.path.abspath(os.__file__))

    def standard(place):
        place = os.path.abspath(place)
        name = os.path.basename(place).lower()
        return (place == library or name in ("lib-dynload", "dlls") or name.startswith("python") and name.endswith(".zip")
                or place.startswith(library + os.sep) and "-packages" not in place)

    def foreign(module):
        place = getattr(module, "__file__", None)
        return isinstance(place, str) and module.__name__ != "__main__" and not standard(os.path.dirname(place))

    path, before = sys.path[:], dict(sys.modules)
    others = [place for place in path if not standard(place)]
    hidden = [name for name in before if foreign(before[name])]
    try:
        sys.path[:] = [place for place in path if standard(place)]
        for name in hidden:
            del sys.modules[name]
        return [__import__(name) for name in names]
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - set(before):
            top = name.split(".")[0]
            if any(os.path.exists(os.path.join(place, top + end)) for place in others for end in ("", ".py")):
                del sys.modules[name]
        for name in hidden:
            sys.modules[name] = before[name]


class Child(object):
    """The program endwise. Its output is read without a thread, because a thread adds
    130 MB to the virtual memory that the referee limits. On Windows, where select
    does not accept pipes, there are threads."""

    def __init__(self):
        binary = os.environ.get("ENDWISE") or (BINARY if os.path.isfile(BINARY) else "endwise")
        command = [binary] + ARGUMENTS
        try:
            if os.name != "nt":  # the locale's encoding may lack characters of a path
                command = [part.encode("utf-8", "surrogateescape") for part in command]
            self._json, self._select, self._time, self._subprocess = _library("json", "select", "time", "subprocess")
            self._process = self._subprocess.Popen(command, bufsize=0, close_fds=True, stdin=self._subprocess.PIPE,
                                                   stdout=self._subprocess.PIPE, stderr=self._subprocess.PIPE)
        except (FileNotFoundError, NotADirectoryError, PermissionError) as e:
            raise Trouble("%s cannot be started (%s): write this file again with endwise shim watchyourback, "
                          "or set ENDWISE to the program" % (binary, e))
        except Exception as e:  # for instance ValueError or MemoryError
            raise Trouble("%s cannot be started (%s: %s)" % (binary, type(e).__name__, e))
        self._out, self._err = self._process.stdout.fileno(), self._process.stderr.fileno()
        self._open = [self._out, self._err]
        self._text = {self._out: b"", self._err: b""}
        self._notes = []  # lines of its standard error that have not been printed
        self._dump = ""  # first line of a crash dump, which is not printed
        self._ready = False
        if os.name == "nt":
            threading, = _library("threading")
            self._heard, self._chunks = threading.Semaphore(0), []
            for pipe in self._open:
                reader = threading.Thread(target=self._listen, args=(pipe,))
                reader.daemon = True
                reader.start()

    def ask(self, wanted, limit, **message):
        deadline = self._time.monotonic() + limit
        try:
            self._process.stdin.write((self._json.dumps(message) + "\n").encode("ascii"))
            while b"\n" not in self._text[self._out]:
                if self._out not in self._open or len(self._text[self._out]) > 65536:
                    raise Trouble("it gave no answer")
                if not self._read(deadline - self._time.monotonic()):
                    raise Trouble("it gave no answer in time")
        except (OSError, ValueError) as e:
            raise Trouble("it does not listen: %s" % e)
        line, _, self._text[self._out] = self._text[self._out].partition(b"\n")
        try:
            answer = self._json.loads(line.decode("utf-8", "replace"))
            if answer["type"] == wanted:
                self._ready = True
                self._say_notes()
                return answer
            raise Trouble(answer.get("text", answer["type"]))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise Trouble("it answered %r" % line[:80])

    def end(self):
        """Ends the child. Returns how the child had ended, "" if it was running."""
        how = ""
        try:
            how = "it ended with code %d" % self._process.wait(0.2)
        except self._subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        try:
            for _ in range(64):  # a limit, because a grandchild may keep the pipe open
                if self._err not in self._open or not self._read(0.05):
                    break
            self._process.stdin.close()
        except (OSError, ValueError):
            pass
        last = self._dump or (self._notes[-1] if self._notes else "")
        if "memory" in last:
            return "memory is too small for it (%s)" % last
        return "%s (%s)" % (how, last) if how and last else how

    def _read(self, limit):
        """Waits at most limit seconds for output of the child and reads it. Returns
        whether there was output or an output has ended."""
        if os.name == "nt":
            chunks = [self._chunks.pop(0)] if self._heard.acquire(timeout=max(0, limit)) else []
        else:
            chunks = [(pipe, os.read(pipe, 65536)) for pipe in self._select.select(self._open, [], [], max(0, limit))[0]]
        for pipe, text in chunks:
            self._text[pipe] += text
            if not text:
                self._open.remove(pipe)
        lines = self._text[self._err].split(b"\n")
        self._text[self._err] = lines.pop()[:65536]
        for line in lines:
            line = line.decode("utf-8", "replace")
            if line.startswith(("fatal error: ", "panic: ")):
                self._dump = self._dump or line
            elif not self._dump and not line.startswith(("runtime", "SIG")):
                self._notes.append(line)
        self._say_notes()
        return bool(chunks)

    def _say_notes(self):
        """Prints the notes of a child that is ready. If the child fails before, end
        returns the last note."""
        if self._ready:
            for note in self._notes:
                _say(note)
            self._notes = []

    def _listen(self, pipe):
        text = True
        while text:
            try:
                text = os.read(pipe, 65536)
            except (OSError, ValueError):
                text = b""
            self._chunks.append((pipe, text))
            self._heard.release()


STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))


class Game(object):
    """A position, with the rules that a player needs."""

    def __init__(self):
        self.at = dict(((x, y), "-") for x in range(8) for y in range(8))
        for corner in ((0, 0), (0, 7), (7, 7), (7, 0)):
            self.at[corner] = "X"
        self.moving, self.turns = False, 0

    def after(self, action):
        """Returns the position after an action."""
        g = Game.__new__(Game)
        g.at, g.moving, g.turns = dict(self.at), self.moving, self.turns
        g.play(action)
        return g

    def mover(self):
        return "O@"[self.turns % 2]

    def actions(self):
        """Returns the legal actions."""
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
        """Returns the action with the best balance of pieces after the best answer;
        among equals, one near the centre, which no shrink removes."""
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
    """Returns an action as tuples of ints; its parts may be lists and numbers of any type."""
    if action is None:
        return None
    return tuple(_tuples(part) if hasattr(part, "__len__") else int(part) for part in action)
