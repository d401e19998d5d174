"""A player of Watch Your Back! that chooses among the legal actions at random.

README.md explains how the referee uses this file. Replace choose with your own idea.
"""
import random

STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))


class Player(object):
    """The referee makes one with the colour "white" or "black" and calls its methods."""

    def __init__(self, colour):
        self.game = Game()

    def action(self, turns):
        """Return our action; turns counts from 0 in each phase."""
        action = self.choose(self.game.actions())
        self.game.play(action)
        return action

    def update(self, action):
        """The opponent has played an action."""
        self.game.play(action)

    def choose(self, actions):
        """Choose one of the legal actions. self.game.after(action) is the game after it."""
        return random.choice(actions)


class Game(object):
    """The rules: board[x, y] is "O" (white), "@" (black), "X" (corner) or "-" (empty), x is the
    column, y the row. Squares off the board have no entry."""

    def __init__(self):
        self.board = {(x, y): "-" for x in range(8) for y in range(8)}
        for corner in ((0, 0), (0, 7), (7, 7), (7, 0)):
            self.board[corner] = "X"
        self.moving = False  # the placing phase has 24 turns, then pieces move
        self.turns = 0  # in this phase

    def after(self, action):
        """Return the game in which an action has been played."""
        game = Game()
        game.board, game.moving, game.turns = dict(self.board), self.moving, self.turns
        game.play(action)
        return game

    def mover(self):
        """Return whose turn it is: white begins each phase."""
        return "O@"[self.turns % 2]

    def count(self, piece):
        return list(self.board.values()).count(piece)

    def actions(self):
        """Return all legal actions; [None] if there is none."""
        me = self.mover()
        if not self.moving:  # white places in the upper six rows, black in the lower six
            rows = range(0, 6) if me == "O" else range(2, 8)
            return [square for square in self.board if self.board[square] == "-" and square[1] in rows]
        found = []
        for (x, y), piece in self.board.items():
            for dx, dy in STEPS:
                near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if piece == me and self.board.get(near) == "-":
                    found.append(((x, y), near))  # a step
                elif piece == me and self.board.get(near) in ("O", "@") and self.board.get(far) == "-":
                    found.append(((x, y), far))  # a jump over a piece of either colour
        return found or [None]

    def play(self, action):
        """Play a legal action."""
        me = self.mover()
        if action is not None and self.moving:
            self.board[tuple(action[0])] = "-"
            action = action[1]
        if action is not None:
            self.enter(tuple(action), me)
        self.turns += 1
        if not self.moving and self.turns == 24:
            self.moving, self.turns = True, 0
        elif self.moving and self.turns in (128, 192) and min(self.count("O"), self.count("@")) >= 2:
            self.shrink(1 if self.turns == 128 else 2)

    def enter(self, square, me):
        """A piece enters a square: first it captures, then it may be captured itself."""
        (x, y), enemy = square, "@" if me == "O" else "O"
        self.board[square] = me
        for dx, dy in STEPS:
            behind = self.board.get((x + 2 * dx, y + 2 * dy))
            if self.board.get((x + dx, y + dy)) == enemy and behind in (me, "X"):
                self.board[x + dx, y + dy] = "-"
        up, right, down, left = [self.board.get((x + dx, y + dy)) in (enemy, "X") for dx, dy in STEPS]
        if up and down or left and right:
            self.board[square] = "-"

    def shrink(self, low):
        """The outer ring disappears. Pieces on or beside the new corners may be captured."""
        high = 7 - low
        self.board = {s: piece for s, piece in self.board.items() if low <= min(s) and max(s) <= high}
        for x, y in ((low, low), (low, high), (high, high), (high, low)):
            self.board[x, y] = "X"
            for dx, dy in STEPS:
                piece, behind = self.board.get((x + dx, y + dy)), self.board.get((x + 2 * dx, y + 2 * dy))
                if piece in ("O", "@") and behind in ("O", "@", "X") and behind != piece:
                    self.board[x + dx, y + dy] = "-"
