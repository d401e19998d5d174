"""Runs a Python module with a Player class behind the line protocol.

python3 -c SOURCE DIRECTORY MODULE

DIRECTORY is the first directory of the module path. Requests are read from
standard input and answers written to the original standard output. The module's
own output goes to standard error.
"""
import sys

# python3 -c puts the current directory first. Its files may have the names of
# modules of the library.
sys.path = [place for place in sys.path if place]

import importlib
import importlib.util
import json
import os
import traceback


def main():
    directory, name = sys.argv[1], sys.argv[2]
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.argv = [name]

    def send(kind, **fields):
        answers.write(json.dumps(dict(fields, type=kind)) + "\n")
        answers.flush()

    noted = set()

    def note(text):
        if text not in noted:
            noted.add(text)
            send("note", text=text)

    class Printed:
        """The module's standard output."""

        def __init__(self, under):
            self.under = under

        def write(self, text):
            note("prints to standard output, which belongs to the referee; it is shown on standard error: "
                 "use print(..., file=sys.stderr)")
            return self.under.write(text)

        def __getattr__(self, attribute):
            return getattr(self.under, attribute)

    sys.stdout = Printed(sys.stderr)

    class Problem(Exception):
        pass

    def load():
        sys.path.insert(0, directory)
        path = os.path.join(directory, name + ".py")
        try:
            if name in sys.modules and os.path.exists(path):
                # The name is that of a library module that is already imported.
                spec = importlib.util.spec_from_file_location(name, path)
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
            else:
                module = importlib.import_module(name)
        except ModuleNotFoundError as e:
            if e.name == name or e.name == name.split(".")[0]:
                raise Problem("there is no module %s in %s or on the module path: give the path of its file, "
                              "for instance py:bots/%s.py" % (name, directory, name))
            raise Problem("the module %s needs the module %s, which %s does not find: install it or set PYTHONPATH"
                          % (name, e.name, sys.executable))
        player = getattr(module, "Player", None)
        if not callable(player):
            raise Problem("the module %s has no class Player: it needs Player(colour) with action(turns) and "
                          "update(action)" % name)
        return player

    def kind_of(v):
        t = type(v)
        return t.__name__ if t.__module__ == "builtins" else t.__module__ + "." + t.__name__

    def shown(v):
        text = repr(v)
        return text if len(text) <= 80 else text[:80] + "..."

    class Invalid(Exception):
        pass

    def plain(action):
        """Returns an action in the form of the protocol. Raises Invalid if the
        real referee would not accept it: coordinates must be whole numbers, in
        tuples only or in lists only."""
        if action is None:
            return None

        def wrong(why):
            raise Invalid("%s of type %s: %s" % (shown(action), kind_of(action), why))

        kind = next((k for k in (tuple, list) if isinstance(action, k)), None)
        if kind is None or len(action) != 2:
            wrong("want (x, y), ((xa, ya), (xb, yb)) or None")
        squares = [p for p in action if isinstance(p, (tuple, list))]
        if squares:
            if not all(isinstance(p, (tuple, list)) and len(p) == 2 for p in action):
                wrong("want (x, y), ((xa, ya), (xb, yb)) or None")
            if not all(isinstance(p, kind) for p in squares):
                wrong("tuples and lists mixed: want ((xa, ya), (xb, yb))")
        for v in [v for p in squares for v in p] if squares else action:
            if not isinstance(v, int):
                wrong("%r of type %s: coordinates are whole numbers, use int(...)" % (v, kind_of(v)))
            if abs(v) > 99:
                wrong("not on the board")
        return [[int(v) for v in p] for p in squares] if squares else [int(v) for v in action]

    def tuples(action):
        if action is None:
            return None
        return tuple(tuple(p) if isinstance(p, list) else p for p in action)

    player = None
    for line in requests:
        request = json.loads(line)
        kind = request["type"]
        if kind == "end":
            break
        try:
            if kind == "start":
                player = load()(request["colour"])
                send("ready")
            elif kind == "action":
                send("action", action=plain(player.action(request["turns"])))
            elif kind == "update":
                player.update(tuples(request.get("action")))
                send("ok")
            else:
                send("error", text="unknown request " + kind)
        except Invalid as e:
            send("invalid", text=str(e))
            break
        except Problem as e:
            send("error", text=str(e))
            break
        except BaseException as e:
            traceback.print_exc(file=sys.stderr)
            text, place = str(e).split("\n")[0], traceback.extract_tb(e.__traceback__)[-1]
            if not place.filename.startswith("<"):
                text += " (%s, line %d)" % (os.path.basename(place.filename), place.lineno)
            send("error", text="%s in %s: %s" % (type(e).__name__, {"start": "Player(colour)", "action": "action(turns)",
                                                                    "update": "update(action)"}.get(kind, kind), text))
            break
    sys.stderr.flush()
    os._exit(0)


main()
