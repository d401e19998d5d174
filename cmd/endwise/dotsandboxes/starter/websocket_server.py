"""A websocket server for JSON messages, without libraries. Nothing here is about the game."""
import base64, hashlib, json, socketserver, struct


def serve(port, play):
    """Call play(receive, send) for every connection to a port of this computer."""

    class Connection(socketserver.StreamRequestHandler):
        def handle(self):
            key = b""
            for line in iter(self.rfile.readline, b""):
                name, _, value = line.partition(b":")
                if name.strip().lower() == b"sec-websocket-key":
                    key = value.strip()
                if not line.strip():
                    break
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
            try:
                play(self.receive, lambda message: self.frame(1, json.dumps(message).encode()))
            except (EOFError, OSError):
                pass  # the other side has gone

        def read(self, n):
            data = self.rfile.read(n)
            if len(data) < n:
                raise EOFError
            return data

        def receive(self):
            text = b""
            while True:
                first, second = self.read(2)
                size = second & 127
                if size > 125:
                    size = struct.unpack(">H" if size == 126 else ">Q", self.read(2 if size == 126 else 8))[0]
                mask = self.read(4) if second & 128 else bytes(4)
                data = bytes(b ^ mask[i % 4] for i, b in enumerate(self.read(size)))
                kind = first & 15
                if kind == 8:  # close
                    self.frame(8, data)
                    return None
                elif kind == 9:  # ping
                    self.frame(10, data)
                elif kind < 8:
                    text += data
                    if first & 128:  # the last part of a message
                        return json.loads(text.decode())

        def frame(self, kind, data):
            size = bytes([len(data)]) if len(data) < 126 else b"\x7e" + struct.pack(">H", len(data))
            self.wfile.write(bytes([128 | kind]) + size + data)

    socketserver.ThreadingTCPServer.allow_reuse_address = True
    socketserver.ThreadingTCPServer.daemon_threads = True
    with socketserver.ThreadingTCPServer(("127.0.0.1", port), Connection) as server:
        server.serve_forever()
