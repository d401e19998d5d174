#!/usr/bin/env python3
"""Checks certificates of perfect play: python3 checkproof.py FILE...

The second checker, fast enough for boards up to 3x4. main.go, the first one, documents
the format. This one states the rules again and shares no code with it.
"""
import hashlib
import itertools
import re
import sys
import zlib

HEADER = re.compile(
    rb"(endwise (certificate|claims) 1 game ([a-z]+) board ([1-9])x([1-9]) rules 1 "
    rb"value (0|-?[1-9][0-9]{0,2})(?: from ([1-9a-f][0-9a-f]{0,13})| (pairing))? "
    rb"count (0|[1-9][0-9]{0,17}) sha256 )([0-9a-f]{64})\n"
)
MAX_CLAIMS = 1 << 23  # in a claims file, which bounds the memory


class Refused(Exception):
    """The reason why a certificate is refused."""


class Squares:
    """A board of Dots and Boxes or Circuit Wars. A position is the set of its free
    lines as a number: bit i for line i, horizontal lines first, row by row."""

    def __init__(self, rows, cols, circuit):
        self.circuit = circuit
        # A line is identified by the two grid points that it joins.
        lines = [((r, c), (r, c + 1)) for r in range(rows + 1) for c in range(cols)]
        lines += [((r, c), (r + 1, c)) for r in range(rows) for c in range(cols + 1)]
        number = {line: i for i, line in enumerate(lines)}
        self.lines = len(lines)
        self.boxes = []
        for r in range(rows):
            for c in range(cols):
                top, bottom = ((r, c), (r, c + 1)), ((r + 1, c), (r + 1, c + 1))
                left, right = ((r, c), (r + 1, c)), ((r, c + 1), (r + 1, c + 1))
                self.boxes.append(sum(1 << number[side] for side in (top, bottom, left, right)))
        self.beside = [[b for b in self.boxes if b >> i & 1] for i in range(self.lines)]
        # Pairs of equivalent lines: the same square is the only one next to them.
        self.alike = [
            (1 << i, 1 << j)
            for i in range(self.lines)
            for j in range(i + 1, self.lines)
            if len(self.beside[i]) == 1 and self.beside[i] == self.beside[j]
        ]
        transforms = [lambda p: p, lambda p: (rows - p[0], p[1]), lambda p: (p[0], cols - p[1]), lambda p: (rows - p[0], cols - p[1])]
        if rows == cols:
            transforms += [lambda p, t=t: t((p[1], p[0])) for t in transforms[:4]]
        # For each symmetry the images of all sets of lines, in five tables of eleven lines.
        self.symmetries = []
        for transform in transforms:
            to = [1 << number[tuple(sorted((transform(a), transform(b))))] for a, b in lines] + [0] * 48
            self.symmetries.append([self.table(to[k * 11:k * 11 + 11]) for k in range(5)])

    @staticmethod
    def table(to):
        """Returns the image of every set of eleven lines."""
        images = [0]
        for image in to:
            images += [image | other for other in images]
        return images

    def smallest(self, p):
        """Returns the smallest number of the positions equal to p."""
        best = p
        for a, b, c, d, e in self.symmetries:
            q = a[p & 2047] | b[p >> 11 & 2047] | c[p >> 22 & 2047] | d[p >> 33 & 2047] | e[p >> 44 & 2047]
            for low, high in self.alike:
                if q & high and not q & low:
                    q ^= low | high
            best = min(best, q)
        return best

    def left(self, p):
        """Returns the number of squares not yet won."""
        return sum(1 for box in self.boxes if p & box)

    def flooded(self, p):
        """Returns the free lines that can be reached from the outside."""
        reached, todo = 0, [i for i in range(self.lines) if p >> i & 1 and len(self.beside[i]) == 1]
        while todo:
            i = todo.pop()
            if not reached >> i & 1:
                reached |= 1 << i
                for box in self.beside[i]:
                    new = p & box & ~reached
                    todo += [j for j in range(self.lines) if new >> j & 1]
        return reached

    def play(self, p, line):
        """Returns the position after a line, the squares won, and whether the turn passes."""
        after = p & ~(1 << line)
        if self.circuit:
            after = self.flooded(after)
            return after, self.left(p) - self.left(after), True
        won = sum(1 for box in self.beside[line] if not after & box)
        return after, won, won == 0

    def paired(self, moves):
        """Returns how many squares more the second player wins by answering each line
        with its partner: the squares that the partners map to themselves. The theorem and
        its proof are in main.go."""
        partner = [next(moves, 255) for _ in range(self.lines)]
        if sorted(partner) != list(range(self.lines)) or any(partner[p] != i or p == i for i, p in enumerate(partner)):
            raise Refused(f"the partners {partner} are no pairs of lines")
        images = [sum(1 << partner[i] for i in range(self.lines) if box >> i & 1) for box in self.boxes]
        if sorted(images) != sorted(self.boxes):
            raise Refused("the partners of the lines of a square are not those of a square")
        return sum(1 for box, image in zip(self.boxes, images) if box == image)

    def check(self, value, position, pairing, leaves, moves):
        """Checks the claim about a position, or both claims about the empty board.
        Returns what they prove."""
        everything, count, most = (1 << self.lines) - 1, 0, 0
        # The claims with the claimant to move (True) and with the opponent to move, by
        # free lines and position.
        claims = {True: [{} for _ in range(self.lines + 1)], False: [{} for _ in range(self.lines + 1)]}

        def claim(claimant_moves, p, least):
            left = self.left(p)
            if least > left:
                raise Refused(f"position {p:#x}: {least:+d} is claimed with {left} squares left")
            if least > -left:
                p = self.smallest(p)
                at = claims[claimant_moves][p.bit_count()]
                at[p] = max(least, at.get(p, least))

        proved = f"value {value} for the first player"
        if position > everything or self.circuit and self.flooded(position) != position:
            raise Refused(f"{position:#x} is not a position of the board")
        if position:
            proved = f"position {position:x}, at least {value}"
            claim(True, position, value)
        else:
            if not pairing:
                claim(False, everything, -value)
            elif self.paired(moves) < -value:
                raise Refused("the pairing proves less")
            claim(True, everything, value)
        for free in range(self.lines, 0, -1):
            for p, least in sorted(claims[True][free].items()):
                move = next(moves, 255)
                if leaves and 64 <= move < 128:
                    count, most = count + 1, max(most, free)
                    continue
                if not p >> move & 1:
                    raise Refused(f"position {p:#x}: line {move} is not free")
                after, won, passes = self.play(p, move)
                claim(not passes, after, least - won)
            for p, least in sorted(claims[False][free].items()):
                for line in range(self.lines):
                    if p >> line & 1:
                        after, won, passes = self.play(p, line)
                        claim(passes, after, least + won)
            claims[True][free] = claims[False][free] = None
        if leaves:
            proved += f" if the claims without a proof are true ({count}, with at most {most} free lines)"
        return proved


# The 4x4 stage of Watch Your Back: coordinates of the corners and of the other squares.
CORNERS = {(0, 0), (0, 3), (3, 0), (3, 3)}
PLACES = [(y, x) for y in range(4) for x in range(4) if (y, x) not in CORNERS]
STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0))


def beyond(place, step):
    return place[0] + step[0], place[1] + step[1]


def surrounded(place, enemies):
    """Reports whether a piece is between two enemies or corners, in its row or column."""
    hostile = [beyond(place, s) in enemies or beyond(place, s) in CORNERS for s in STEPS]
    return hostile[0] and hostile[3] or hostile[1] and hostile[2]


def stage_moves(own, other):
    """Returns both sides' pieces after each move of own, unchanged if there is no move."""
    result = []
    for piece in own:
        for step in STEPS:
            to = beyond(piece, step)
            if to in own or to in other:
                to = beyond(to, step)
            if to not in PLACES or to in own or to in other:
                continue
            mine = own - {piece} | {to}
            dead = set()
            for s in STEPS:
                enemy = beyond(to, s)
                if enemy in other and (beyond(enemy, s) in mine or beyond(enemy, s) in CORNERS):
                    dead.add(enemy)
            theirs = other - dead
            if surrounded(to, theirs):
                mine -= {to}
            result.append((mine, theirs))
    return result or [(own, other)]


def check_stage(turns, values):
    """Checks that every value is the best of the values one move later."""
    value, longest = {}, 0
    for number in range(3 ** 12):
        digits = [number // 3 ** i % 3 for i in range(12)]
        if digits.count(1) < 2 or digits.count(2) < 2:
            continue
        own = frozenset(p for p, d in zip(PLACES, digits) if d == 1)
        other = frozenset(p for p, d in zip(PLACES, digits) if d == 2)
        if any(surrounded(p, other) for p in own) or any(surrounded(p, own) for p in other):
            continue
        byte = next(values, 128)  # no value of a position is 128
        value[own, other] = byte - 256 * (byte > 127)
    for (own, other), claimed in value.items():
        best = -100
        for mine, theirs in stage_moves(own, other):
            if len(mine) < 2 or len(theirs) < 2:  # the game is over; the opponent's view
                v = 100 * (len(theirs) >= 2) - 100 * (len(mine) >= 2)
            elif (theirs, mine) in value:
                v = value[theirs, mine]
            else:
                raise Refused(f"position {sorted(own)}, {sorted(other)}: a move leads to one without a value")
            best = max(best, (v > 0) - (v < 0) - v)
        if claimed != best:
            raise Refused(f"position {sorted(own)}, {sorted(other)}: value {claimed}, by its moves {best}")
        if best:
            longest = max(longest, 100 - abs(best))
    if longest != turns:
        raise Refused(f"the longest win takes {longest} turns, not {turns}")


def unpacked(name):
    """Yields the content of a file that is one gzip member, in pieces of at most 64 KiB."""
    with open(name, "rb") as f:
        piece, packed, stream = b"", f.read(1 << 16), zlib.decompressobj(31)
        plain = packed[3:4] in (b"\x00", b"\x08")  # a name is allowed in the gzip header, no other field
        while plain and not stream.eof and (packed or piece):
            piece = stream.decompress(packed, 1 << 16)
            packed = stream.unconsumed_tail or f.read(1 << 16)
            yield piece
        if not stream.eof or stream.unused_data or packed:
            raise Refused("not a gzip file, cut off, or followed by other bytes")


def body(pieces, count, digest):
    """Yields the bytes after the header, adds them to the digest and compares their number."""
    size = max(count, 1)
    for piece in pieces:
        digest.update(piece)
        count -= len(piece)
        print(f"{100 - 100 * count // size} % read\r" * sys.stderr.isatty(), end="", file=sys.stderr, flush=True)
        yield from piece
    if count != 0:
        raise Refused(f"{count} bytes fewer than the header says")


def check(name):
    """Returns what the certificate in a file proves."""
    pieces = unpacked(name)
    start = b""
    while b"\n" not in start and len(start) < 256:
        start += next(pieces, b"\n")
    head = HEADER.match(start)
    if not head:
        raise Refused(f"header {start[:200]!r}")
    kind, game, rows, cols, value = head[2], head[3].decode(), int(head[4]), int(head[5]), int(head[6])
    position, pairing, count = int(head[7] or b"0", 16), head[8] is not None, int(head[9])
    digest = hashlib.sha256(head[1] + b"\n")
    moves = body(itertools.chain([start[head.end():]], pieces), count, digest)
    leaves, circuit, proved = kind == b"claims", game == "circuitwars", f"value {value}"
    if leaves and count > MAX_CLAIMS:
        raise Refused(f"{count} claims, want at most {MAX_CLAIMS}")
    if game == "watchyourback" and rows == cols == 4 and not (leaves or pairing or position):
        check_stage(value, moves)
        proved = f"longest win {value} turns"
    elif (circuit or game == "dotsandboxes" and not pairing) and 2 * rows * cols + rows + cols < 57 and abs(value) <= rows * cols:
        proved = Squares(rows, cols, circuit).check(value, position, pairing, leaves, moves)
    else:
        raise Refused("no such game, board or value")
    left = sum(1 for _ in moves)
    if left or digest.hexdigest() != head[10].decode():
        raise Refused(f"{left} bytes are left over; digest {digest.hexdigest()}")
    return f"{game} {rows}x{cols}, {proved}, digest {digest.hexdigest()}"


if __name__ == "__main__":
    refused = False
    if sys.argv[1:2] in ([], ["-h"], ["--help"]):
        print("usage: checkproof.py FILE...\nChecks certificates and claims files and prints what they prove.")
        sys.exit(0 if sys.argv[1:] else 2)
    for file in sys.argv[1:]:
        try:
            print("accepted:", check(file))
        except (Refused, OSError, zlib.error) as why:
            refused = True
            print("refused:", why)
    sys.exit(refused)
