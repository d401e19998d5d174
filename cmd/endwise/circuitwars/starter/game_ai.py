#!/usr/bin/env python3
"""Plays one game of Circuit Wars with random moves: python3 game_ai.py [SERVER [TEAM]]

README.md explains the protocol. Replace choose_move with your own idea.
"""
import json, random, signal, sys, time, urllib.parse, urllib.request

SERVER, TEAM = (sys.argv[1:] + ["http://127.0.0.1:5000", "my-team"][len(sys.argv) - 1:])[:2]
if "://" not in SERVER:
    SERVER = "http://" + SERVER
signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the program without a traceback

# Each border of a square: its bit, the step to the square on the other side, its bit there.
BORDERS = {"top": (1, 0, -1, 4), "right": (2, 1, 0, 8), "bottom": (4, 0, 1, 1), "left": (8, -1, 0, 2)}
OWNED = 16 | 32  # one of these bits is set in a captured square


def get(path):
    """Return the JSON object that the server answers, or one with the reason why it does not."""
    try:
        with urllib.request.urlopen(SERVER + path, timeout=2) as answer:
            return json.loads(answer.read().decode())
    except (urllib.error.HTTPError, ValueError):
        return {"error": "this is not a game server"}
    except OSError as error:
        return {"error": "no answer (%s); is the server running?" % getattr(error, "reason", error)}


def free_moves(board):
    """Return all legal moves. A segment inside of a captured area is gone, but its bits are not set."""
    cell = lambda x, y: board[y][x] if 0 <= y < len(board) and 0 <= x < len(board[0]) else 0
    return [(x, y, border) for y, row in enumerate(board) for x, here in enumerate(row)
            for border, (bit, dx, dy, other) in BORDERS.items()
            if not here & (bit | OWNED) and not cell(x + dx, y + dy) & (other | OWNED)]


def choose_move(board):
    return random.choice(free_moves(board))


answer = get("/reg/" + urllib.parse.quote(TEAM))
HINT = {1: "choose a team of letters, digits, - and _", 2: "choose another team",
        3: "the game has begun or is over: restart the server's game"}
me = answer.get("player") or sys.exit("%s did not register team %s: %s" % (
    SERVER, TEAM, answer.get("error") or HINT.get(answer.get("error_code"), answer)))
print("I am player %d" % me, flush=True)
code, sent, status, misses = 0, None, {}, 0
while code < 300:  # the first code from 300 on is the result
    status = get("/status")
    code = status.get("status_code", 0)
    misses = misses + 1 if "error" in status else 0
    if misses == 20:
        sys.exit("The server does not answer any more: " + status["error"])
    if sent and 100 <= code < 200:  # the server waits for teams again
        sys.exit("The server was restarted: start this program again.")
    # Never move twice: the opponent must have answered our last move.
    if code == 200 + me and status["last_move"] != sent:
        sent = "%d,%d,%s" % choose_move(status["board"])
        get("/move/%s/%s" % (TEAM, sent))
    time.sleep(0.2)  # between two requests
mine, theirs = status["score_%d" % me], status["score_%d" % (3 - me)]
if code < 400:
    print("I %s %d-%d" % ("tied" if mine == theirs else "won" if code % 100 == me else "lost", mine, theirs))
else:
    print("I" if code % 100 == me else "My opponent", "lost by", "an illegal move" if code < 500 else "time-out")
