#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Plays Circuit Wars on a game server: python game_ai.py [SERVER [TEAM]]

Written by "endwise shim circuitwars". This file keeps the protocol, the clock
and the rules; the moves come from the endwise program, which runs as a child
process and is asked one question at a time. Where it dies, hangs or is late,
the move is what it has said so far, or a legal one of this file's own; it is
then started again, once, and after that played without. Needs
Python 3.5 or later and nothing but its standard library.
"""

import http.client
import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

SERVER = "@server@"
TEAM = "@team@"
BINARY = "@binary@"

INTERVAL = 0.2        # least time between two requests, in seconds;
HURRY = 10            # less where fewer than so many fit into the server's limit
MOVE_TIME = 2.7       # for a move while the server runs no clock
MARGIN = 0.5          # kept back from the server's clock
ANSWER_TIME = 2.0     # for one answer of the server
ANSWER_BYTES = 65536
PATIENCE = 60.0       # without any usable answer of the server
STARTS = 2            # of the child, at most
LATE = 1.0            # after which a child that owes an answer hangs

# Borders of a cell: name, bit, neighbour, the neighbour's bit and name.
BORDERS = (
    ("top", 1, 0, -1, 4),
    ("right", 2, 1, 0, 8),
    ("bottom", 4, 0, 1, 1),
    ("left", 8, -1, 0, 2),
)
OWNED = 16 | 32
FULL = (", the game has two players already or is over;"
        " on a practice server open /restart or start it again for a new game")


def say(*words):
    """Write a line to standard error; a closed one is no reason to lose."""
    try:
        print(*words, file=sys.stderr)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


class Trouble(Exception):
    """A request that failed; sent says whether the server may have seen it."""

    def __init__(self, text, sent):
        Exception.__init__(self, text)
        self.sent = sent


class Server:
    """The game server: one request at a time, at a steady pace."""

    def __init__(self, address):
        if "://" not in address:
            address = "http://" + address
        try:
            parts = urllib.parse.urlsplit(address)
            self.host, self.port = parts.hostname, parts.port
        except ValueError:  # brackets without an end, or a port that is no number
            self.host = None
        odd = address.split() != [address] or "?" in address or "#" in address
        if odd or not self.host or self.host[0] == "-" or parts.scheme not in ("http", "https"):
            say("endwise: server %r: want an address like http://127.0.0.1:5000" % address)
            raise SystemExit(2)
        self.address = address
        self.tls = parts.scheme == "https"
        self.base = parts.path.rstrip("/")
        self.interval = INTERVAL
        self.asked = 0.0    # start of the last request
        self.last = None    # end of it
        self.latency = 0.0  # of recent requests, the slow ones weighing more

    def request(self, path, connected):
        connect = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
        connection = connect(self.host, self.port, timeout=ANSWER_TIME)
        try:
            connection.connect()
            connected.append(True)
            connection.request("GET", path, headers={"Connection": "close", "User-Agent": "endwise"})
            answer = connection.getresponse()
            body = answer.read(ANSWER_BYTES + 1)
            return answer.status, answer.getheader("Location"), body
        finally:
            connection.close()

    def get(self, path):
        """Return the HTTP status, the redirect and the body, or raise Trouble."""
        if self.last is not None:
            pause = self.last + self.interval - time.monotonic()
            if pause > 0:
                time.sleep(pause)
        result = queue.Queue()
        connected = []

        def run():
            try:
                result.put(self.request(path, connected))
            except Exception as error:  # whatever a broken server brings about
                result.put(error)

        # In a thread of its own: a server that sends a byte now and then
        # would hold up a socket's timeout for ever.
        self.asked = time.monotonic()
        thread = threading.Thread(target=run)
        thread.daemon = True
        thread.start()
        try:
            answer = result.get(timeout=ANSWER_TIME)
        except queue.Empty:
            answer = socket.timeout("no answer in time")
        self.last = time.monotonic()
        if isinstance(answer, Exception):
            raise Trouble("%s: %s" % (type(answer).__name__, answer), bool(connected))
        self.latency = max(self.last - self.asked, self.latency * 0.875)
        if len(answer[2]) > ANSWER_BYTES:
            raise Trouble("the answer is too long", True)
        return answer

    def text(self, path):
        """Ask for a path below the base; redirects lead to /status only."""
        code, location, body = self.get(self.base + path)
        if 300 <= code < 400 and location:
            code, location, body = self.get(self.base + "/status")
        if code != 200:
            raise Trouble("the server answers %d" % code, True)
        return body.decode("utf-8", "replace")

    def status(self):
        return Status(self.text("/status"), self.asked)

    def move(self, team, move):
        """Send a move; return the status that came back, or None."""
        text = self.text("/move/%s/%s" % (urllib.parse.quote(team, safe=""), move))
        try:
            return Status(text, self.asked)
        except Trouble:
            return None

    def register(self, team):
        """Return (player, 0) or (0, error code)."""
        text = self.text("/reg/" + urllib.parse.quote(team, safe=""))
        try:
            answer = json.loads(text)
            if answer.get("response") == "OK" and answer.get("player") in (1, 2):
                return answer["player"], 0
            return 0, int(answer["error_code"])
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise Trouble("not a registration: %.60r" % text, True)


class Status:
    """One status of the server and what the rules say about it."""

    def __init__(self, text, at):
        self.text, self.at = text, at
        try:
            raw = json.loads(text)
            self.code = int(raw["status_code"])
            self.words = str(raw.get("status", ""))
            self.scores = (int(raw["score_1"]), int(raw["score_2"]))
            self.time_left = float(raw.get("time_left") or 0)
            self.last_move = str(raw.get("last_move") or "")
            self.cells = [[int(c) for c in row] for row in raw["board"]]
            self.height, self.width = len(self.cells), len(self.cells[0])
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError):
            raise Trouble("not a status: %.60r" % text, True)
        ragged = any(len(row) != self.width for row in self.cells)
        if ragged or not 0 < self.height * self.width <= 100:
            raise Trouble("not a board: %.60r" % text, True)
        self.drawn, self.free = set(), set()
        for y in range(self.height):
            for x in range(self.width):
                for name, bit, dx, dy, other in BORDERS:
                    near = self.cell(x + dx, y + dy)
                    segment = key(x, y, name)
                    if self.cells[y][x] & bit or near & other:
                        self.drawn.add(segment)
                    elif not (self.cells[y][x] | near) & OWNED:
                        self.free.add(segment)

    def cell(self, x, y):
        if 0 <= x < self.width and 0 <= y < self.height:
            return self.cells[y][x]
        return 0

    def named(self, move):
        """The segment of a move's name, or None."""
        parts = move.split(",")
        if len(parts) != 3 or not all(p.isdecimal() and len(p) < 4 for p in parts[:2]):
            return None
        return key(int(parts[0]), int(parts[1]), parts[2])

    def captures(self, segment):
        """How many squares occupying a free segment cuts off."""
        open_cells = [(x, y) for y in range(self.height) for x in range(self.width)
                      if not self.cells[y][x] & OWNED]
        reached, stack = set(), []

        def leads_out(x, y):
            for name, _, dx, dy, _ in BORDERS:
                inside = 0 <= x + dx < self.width and 0 <= y + dy < self.height
                s = key(x, y, name)
                if not inside and s in self.free and s != segment:
                    return True
            return False

        for cell in open_cells:
            if leads_out(*cell):
                reached.add(cell)
                stack.append(cell)
        while stack:
            x, y = stack.pop()
            for name, _, dx, dy, _ in BORDERS:
                s, near = key(x, y, name), (x + dx, y + dy)
                inside = 0 <= near[0] < self.width and 0 <= near[1] < self.height
                if inside and near not in reached and s in self.free and s != segment:
                    reached.add(near)
                    stack.append(near)
        return len(open_cells) - len(reached)

    def mirror(self):
        """The answer by half-turn to the last move if all else is symmetric:
        on a board with an odd number of squares it never loses."""
        last = self.named(self.last_move)
        if last is None:
            return None
        answer = self.turned(last)
        if answer == last or answer not in self.free:
            return None
        rest = self.free - {answer}
        if any(self.turned(s) not in rest for s in rest):
            return None
        return answer

    def turned(self, segment):
        x, y, name = segment
        opposite = {"top": "bottom", "left": "right"}[name]
        return key(self.width - 1 - x, self.height - 1 - y, opposite)

    def own_move(self):
        """A legal move without search: the mirror, the largest capture, or a
        segment beside squares with few borders."""
        best = self.mirror()
        if best is None:
            def worth(segment):
                x, y, name = segment
                dx, dy = {"top": (0, -1), "left": (-1, 0)}[name]
                borders = max(bin(self.cell(a, b) & 15).count("1") for a, b in ((x, y), (x + dx, y + dy)))
                return (self.captures(segment), -borders, segment)
            best = max(self.free, key=worth)
        return best


def key(x, y, name):
    """One name for both names of a segment: by its top or left side."""
    if name == "right":
        return (x + 1, y, "left")
    if name == "bottom":
        return (x, y + 1, "top")
    return (x, y, name)


def written(status, segment):
    """A segment as the server wants it, on a square of the board."""
    x, y, name = segment
    if x == status.width:
        return "%d,%d,right" % (x - 1, y)
    if y == status.height:
        return "%d,%d,bottom" % (x, y - 1)
    return "%d,%d,%s" % (x, y, name)


class Engine:
    """The endwise child process."""

    def __init__(self):
        self.child, self.answers, self.number, self.starts = None, None, 0, 0
        self.given_up = False
        self.so_far = None  # of the last question, before its answer
        self.late = None  # since when an answer is owed
        self.pondered = None  # what was drawn when it was last asked to ponder
        self.start()

    def start(self):
        """Start the child unless it runs; say whether there is one."""
        if self.child is not None and self.child.poll() is None:
            return True
        if self.given_up:
            return False
        if self.child is not None:
            self.failed("it ended with code %s" % self.child.returncode)
            if self.given_up:
                return False
        binary = BINARY if os.path.isfile(BINARY) else shutil.which("endwise")
        if binary is None:
            self.failed("there is no %s, and no endwise on the PATH" % BINARY)
            return False
        self.starts += 1
        try:
            self.child = subprocess.Popen([binary, "bot", "circuitwars", "--stdio"],
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            self.failed(error)
            return False
        answers, out = queue.Queue(100), self.child.stdout
        self.answers = answers

        def read():
            try:
                while True:
                    line = out.readline(ANSWER_BYTES)
                    answers.put(line)
                    if not line:
                        return
            except (OSError, ValueError):
                answers.put(b"")

        thread = threading.Thread(target=read)
        thread.daemon = True
        thread.start()
        return True

    def failed(self, why):
        """Say what became of the child and whether it gets another chance."""
        self.given_up = self.starts >= STARTS or self.child is None
        say("endwise: the program that finds the moves failed: %s; %s" % (
            why, "this file plays on without it" if self.given_up else "it is started again"))
        self.stop()

    def stop(self):
        if self.child is None:
            return
        try:
            self.child.kill()
            self.child.wait()
            self.child.stdin.close()
        except OSError:
            pass
        self.child = None

    def ask(self, status, deadline):
        """Return the child's decision by the deadline, or what it has said so
        far, or None."""
        self.renew(0)
        self.so_far = None
        while deadline - time.monotonic() > 0.05:
            if not self.start():
                break
            self.number += 1
            question = {"id": self.number, "position": json.loads(status.text), "improve": True,
                        "time_ms": 1000 * (deadline - time.monotonic() - 0.05)}
            if self.tell(question, deadline):
                answer = self.hear(deadline)
                if answer is not None:
                    return answer
            if deadline - time.monotonic() <= 0.05:
                # Hanging or late. Ending it takes time: not now.
                self.late = time.monotonic()
                break
            try:
                self.child.wait(0.05)  # it has closed its output
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        return self.so_far

    def ponder(self, status):
        """Let the child think in the opponent's time, once a turn."""
        if self.late is None and self.child is not None and self.pondered != status.drawn:
            self.pondered = status.drawn
            self.number += 1
            self.tell({"id": self.number, "position": json.loads(status.text), "ponder": True},
                      time.monotonic() + 0.05)

    def renew(self, patience=LATE):
        """Replace a child that hangs, in the opponent's time; one that was late
        and has answered since is left alone."""
        if self.late is None:
            return
        if self.hear(0) is not None:
            self.late = None
        elif time.monotonic() >= self.late + patience:
            self.late = None
            self.failed("it gave no answer in time")
            self.start()

    def tell(self, question, deadline):
        """Write the question; a child that does not read it can't hold us up."""
        line = (json.dumps(question) + "\n").encode("ascii")
        child, done = self.child, queue.Queue()

        def write():
            try:
                child.stdin.write(line)
                child.stdin.flush()
                done.put(True)
            except (OSError, ValueError):
                done.put(False)

        thread = threading.Thread(target=write)
        thread.daemon = True
        thread.start()
        try:
            return done.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return False

    def hear(self, deadline):
        """The answer to the last question; None if the child is of no use."""
        while True:
            try:
                line = self.answers.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return None
            if not line:
                return None
            try:
                answer = json.loads(line.decode("utf-8", "replace"))
                if answer.get("id") != self.number:
                    continue
                if not answer.get("so_far"):
                    return answer
                self.so_far = answer
            except (ValueError, AttributeError, RecursionError):
                pass


class Game:
    """One game, from the registration to the end."""

    def __init__(self, server, team):
        self.server, self.team, self.engine = server, team, Engine()
        self.player, self.heard, self.silent = 0, time.monotonic(), False
        self.sent = None      # the last move's segment
        self.before = None    # what was drawn before it
        self.still = 0        # statuses that showed the board as before it
        self.repeats = 0
        self.drawn = 0
        self.asked = 0.0      # when the status that showed these was asked for
        self.started = False

    def trouble(self, error):
        if time.monotonic() - self.heard > PATIENCE:
            raise SystemExit("endwise: no usable answer from the server: %s" % error)
        if not self.silent:
            say("endwise: no usable answer from %s, trying for %d s: %s" % (self.server.address, PATIENCE, error))
            self.silent = True
        time.sleep(max(self.server.interval, 0.02))  # a refused connection comes back at once

    def fine(self):
        self.heard, self.silent = time.monotonic(), False

    def register(self):
        lost = False
        while True:
            try:
                self.player, code = self.server.register(self.team)
                if code == 2 and lost and self.server.status().code == 101:
                    self.player, code = 1, 0  # the lost answer was a yes
            except Trouble as error:
                lost = lost or error.sent
                self.trouble(error)
                continue
            if code:
                raise SystemExit("registration refused: error %d%s" % (code, FULL if code == 3 else ""))
            self.fine()
            say("registered as player", self.player)
            return

    def play(self):
        """Play and return the first status that shows the end."""
        self.register()
        status = None
        while True:
            if status is None:
                try:
                    status = self.server.status()
                    self.check(status)
                except Trouble as error:
                    status = None
                    self.trouble(error)
                    continue
            self.fine()
            if status.code >= 300:
                return status
            status = self.answer(status)

    def check(self, status):
        """Raise what does not fit the game so far."""
        if status.code >= 300:
            return
        if status.code < 200:
            # Registered, player 1 can only wait for player 2, who begins the
            # game.
            if self.started or status.code != 101 or self.player != 1:
                raise SystemExit("the server was restarted: it shows another game than ours")
            return
        if len(status.drawn) < self.drawn:
            raise SystemExit("the server was restarted: it shows another game than ours")
        if not status.free:
            raise Trouble("a turn without a free segment", True)
        if status.time_left > 0 and self.started and len(status.drawn) > self.drawn:
            # The clock was started anew since then: the most the limit can be.
            limit = status.time_left / 1000 + time.monotonic() - self.asked
            self.server.interval = min(self.server.interval, limit / HURRY)
        self.started, self.drawn, self.asked = True, len(status.drawn), status.at

    def answer(self, status):
        """Move if it is our turn; return the status that came back, if any."""
        if status.code != 200 + self.player:
            self.engine.renew()
            if status.code > 200:
                self.engine.ponder(status)
            return None
        segment = None
        if self.sent is not None:
            if status.drawn == self.before:
                # The move is not there: it got lost if that is so twice.
                self.still += 1
                if self.still < 2 or self.repeats >= 5:
                    return None
                segment, self.still, self.repeats = self.sent, 0, self.repeats + 1
            elif self.sent in status.drawn and len(status.drawn) < len(self.before) + 2:
                return None  # the opponent has not answered yet
        deadline = self.deadline(status)
        if segment is None:
            segment = self.choose(status, deadline)
            self.sent, self.before, self.still, self.repeats = segment, status.drawn, 0, 0
        move = written(status, segment)
        while True:
            try:
                answer = self.server.move(self.team, move)
                self.engine.renew()
                if answer is not None:
                    self.check(answer)
                return answer
            except Trouble as error:
                say("no answer to the move:", error)
                if error.sent or time.monotonic() > deadline + MARGIN and status.time_left > 0:
                    return None
                self.trouble(error)

    def deadline(self, status):
        if not status.time_left > 0:
            return status.at + MOVE_TIME
        left = min(status.time_left, 3600000.0) / 1000
        return status.at + max(left - MARGIN - self.server.latency, left / 3)

    def choose(self, status, deadline):
        start = time.monotonic()
        own = status.own_move()
        answer = self.engine.ask(status, deadline)
        segment = None
        if answer is not None:
            segment = status.named(str(answer.get("move", "")))
            if segment not in status.free:
                say("the child's move is not legal:", str(answer)[:200])
                segment = None
        source = "fallback"
        if segment is None:
            segment = own
        else:
            source = "%s score %s %s" % (answer.get("source"), answer.get("score"), answer.get("proof"))
        say("move %d %s %s time %.3f time_left %s" % (
            len(status.drawn) + 1, written(status, segment), source, time.monotonic() - start, status.time_left))
        return segment


def main():
    words = sys.argv[1:]
    if "-h" in words or "--help" in words:
        print(__doc__.strip())
        return
    if len(words) > 2:
        say("endwise: %d arguments: want SERVER and TEAM; see --help" % len(words))
        raise SystemExit(2)
    server = Server(words[0] if words else SERVER)
    game = Game(server, words[1] if len(words) > 1 else TEAM)
    try:
        end = game.play()
        print("%s (%d-%d)" % (end.words, end.scores[0], end.scores[1]))
    finally:
        game.engine.stop()


if __name__ == "__main__":
    main()
