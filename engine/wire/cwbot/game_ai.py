#!/usr/bin/env python3
"""Plays one game of Circuit Wars on a game server.

    python game_ai.py [SERVER [TEAM]]

Written by "endwise shim circuitwars". The program endwise plays the game if the
environment variable ENDWISE names it, if it is next to this file, or if it is on
the PATH. Otherwise, or if it fails, this file plays the simple moves of
choose_move. Change that function to write your own player. This file needs
Python 3.5 or later and only its standard library.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request

TEAM_ID = "endwise"
SERVER = "http://127.0.0.1:5000"

INTERVAL = 0.2  # seconds between two requests
PATIENCE = 60  # seconds without a usable answer after which this file ends

# Each border of a square: its bit, the step to the square on the other side, and
# the bit that the same segment has there.
BORDERS = {"top": (1, 0, -1, 4), "right": (2, 1, 0, 8), "bottom": (4, 0, 1, 1), "left": (8, -1, 0, 2)}
OWNED = 16 | 32  # one of these bits is set in a captured square


def say(text):
    """Write a line to standard error, if it is open."""
    try:
        sys.stderr.write("%s\n" % text)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


class Server:
    def __init__(self, address):
        self.address = (address if "://" in address else "http://" + address).rstrip("/")
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # follows redirects
        self.requested = self.answered = time.monotonic()  # times of the last request and the last usable answer
        self.failing = False  # the last request had no usable answer

    def get(self, path):
        """Send a request. Return the JSON object in the answer, or None."""
        time.sleep(max(0, self.requested + INTERVAL - time.monotonic()))
        url = self.address + urllib.parse.quote(path, safe="/,")
        try:
            with self.opener.open(url, timeout=2) as answer:
                text = answer.read(65536).decode("utf-8-sig", "replace")
            plain = re.sub(r'"\s*(\d+)(\.0*)?\s*"', r"\1", text)  # a number may be spelled "3" or 3.0
            problem, found = repr(text)[:60], json.loads(plain, parse_float=lambda number: int(float(number)))
        except Exception as error:  # a server may send anything
            problem, found = error, None
        self.requested = time.monotonic()
        if isinstance(found, dict):
            self.answered, self.failing = self.requested, False
            return found
        if self.requested - self.answered > PATIENCE:
            sys.exit("game_ai.py: no usable answer from %s: %s" % (self.address, problem))
        if not self.failing:
            say("game_ai.py: no usable answer from %s, trying again: %s" % (self.address, problem))
        self.failing = True
        return None


def register(server, team):
    """Register the team. Return its player number, 1 or 2."""
    answer = None
    while not answer:
        answer = server.get("/reg/" + team)
    if answer.get("player") not in (1, 2):
        sys.exit("game_ai.py: registration refused: %s" % answer)
    return answer["player"]


def play(server, team, player):
    """Play as player 1 or 2. Return the first status that shows the end."""
    sent = before = answer = None  # our last move, the board before it, the status in the server's answer
    unchanged = 0  # number of statuses that still show the board before our last move
    while True:
        status, answer = answer or server.get("/status") or {}, None
        code, board = status.get("status_code", 0), status.get("board", [])
        if code >= 300:
            return status  # later statuses may show something else
        if code == 100 or code == 101 and sent:
            sys.exit("game_ai.py: the server has been restarted")
        # It must be our turn, and the opponent must have answered our last move: a
        # second move before that would lose at once.
        if code != 200 + player or status.get("last_move", "") == sent or not free_moves(board):
            continue
        unchanged = unchanged + 1 if board == before else 0
        if unchanged == 0:
            sent, before = "%d,%d,%s" % choose_move(board), board
        elif unchanged % 2 == 1:
            continue  # the move may still arrive; after a second such status it is sent again
        answer = server.get("/move/%s/%s" % (team, sent))


def cell(board, x, y):
    """Return the bits of a square, 0 outside the board."""
    return board[y][x] if 0 <= y < len(board) and 0 <= x < len(board[y]) else 0


def free_moves(board):
    """Return all legal moves (x, y, border). Inner segments occur under both names.

    A segment is free if its bit is set on neither side and no square next to it
    is captured. The bits of the segments inside a captured area are not set.
    """
    moves = []
    for y, row in enumerate(board):
        for x, here in enumerate(row):
            for border, (bit, dx, dy, opposite) in BORDERS.items():
                there = cell(board, x + dx, y + dy)
                if not here & (bit | OWNED) and not there & (opposite | OWNED):
                    moves.append((x, y, border))
    return moves


def captures(board, move):
    """Return the number of squares that a move cuts off from the outside."""
    x, y, border = move
    board = [list(row) for row in board]
    board[y][x] |= BORDERS[border][0]
    todo, reached = [(-1, -1)], {(-1, -1)}  # begin outside and cross every segment that is not set
    while todo:
        x, y = todo.pop()
        for bit, dx, dy, opposite in BORDERS.values():
            near = (x + dx, y + dy)
            beyond = not (-1 <= x + dx <= len(board[0]) and -1 <= y + dy <= len(board))
            wall = cell(board, x, y) & bit or cell(board, *near) & opposite
            if not beyond and not wall and near not in reached:
                reached.add(near)
                todo.append(near)
    left = {(x, y) for y, row in enumerate(board) for x, bits in enumerate(row) if not bits & OWNED}
    return len(left - reached)


def choose_move(board):
    """Choose a legal move: the largest capture, else a random one."""
    return max(free_moves(board), key=lambda move: (captures(board, move), random.random()))


def find_program():
    """Return the path of the program endwise, or None."""
    here = os.path.dirname(os.path.abspath(__file__))
    named = os.environ.get("ENDWISE", "")
    return shutil.which(named) or shutil.which("endwise", path=here) or shutil.which("endwise")


def hand_over(program, address, team):
    """Let the program play. If it fails, return the player number that it has registered, or None."""
    say("game_ai.py: the program %s plays" % program)
    player = None
    try:
        child = subprocess.Popen([program, "bot", "circuitwars", "--server", address, "--team", team],
                                 stdout=subprocess.PIPE, universal_newlines=True)
    except OSError as error:
        say("game_ai.py: %s" % error)
        return player
    try:
        for line in child.stdout:
            say(line.rstrip())
            if line.startswith("registered as player "):
                player = int(line.split()[-1])
        child.wait()
    finally:
        child.kill()  # unless it has ended
    if child.returncode == 0:
        sys.exit()
    say("game_ai.py: the program ended with code %d" % child.returncode)
    return player


def main():
    words = sys.argv[1:]
    if len(words) > 2 or any(word.startswith("-") for word in words):
        sys.exit(__doc__)
    address, team = words + [SERVER, TEAM_ID][len(words):]
    for ending in signal.SIGINT, signal.SIGTERM:
        signal.signal(ending, lambda *_: sys.exit(130))
    program = find_program()
    player = hand_over(program, address, team) if program else None
    say("game_ai.py: this file plays by itself")
    server = Server(address)
    status = play(server, team, player or register(server, team))
    say("%s; squares on the board: %s to %s" % (status.get("status"), status.get("score_1"), status.get("score_2")))


if __name__ == "__main__":
    main()
