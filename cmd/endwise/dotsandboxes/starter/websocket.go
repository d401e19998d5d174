package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
)

// serve calls play for every websocket that is opened to a port of this computer. Nothing
// here is about the game.
func serve(port string, play func(receive func(*message) bool, send func(message))) error {
	return http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
			"Sec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(sum[:])+"\r\n\r\n")
		play(func(m *message) bool { return receive(buffered.Reader, conn, m) == nil }, func(m message) {
			if text, err := json.Marshal(m); err == nil {
				conn.Write(frame(1, text))
			}
		})
	}))
}

// receive reads a message and answers pings.
func receive(in *bufio.Reader, out io.Writer, m *message) error {
	var text []byte
	for {
		var head [2]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return err
		}
		size := uint64(head[1] & 127)
		if size > 125 {
			long := make([]byte, 8)
			if _, err := io.ReadFull(in, long[map[uint64]int{126: 6}[size]:]); err != nil {
				return err
			}
			size = binary.BigEndian.Uint64(long)
		}
		var mask [4]byte
		if head[1]&128 != 0 {
			if _, err := io.ReadFull(in, mask[:]); err != nil {
				return err
			}
		}
		data := make([]byte, min(size, 1<<20)) // longer messages end the connection
		if _, err := io.ReadFull(in, data); err != nil {
			return err
		}
		for i := range data {
			data[i] ^= mask[i%4]
		}
		switch kind := head[0] & 15; {
		case kind == 8: // close
			out.Write(frame(8, data))
			return io.EOF
		case kind == 9: // ping
			out.Write(frame(10, data))
		case kind < 8:
			text = append(text, data...)
			if head[0]&128 != 0 { // the last part of a message
				return json.Unmarshal(text, m)
			}
		}
	}
}

// frame returns a frame of at most 65535 bytes.
func frame(kind byte, data []byte) []byte {
	head := []byte{128 | kind, byte(len(data))}
	if len(data) > 125 {
		head = binary.BigEndian.AppendUint16([]byte{128 | kind, 126}, uint16(len(data)))
	}
	return append(head, data...)
}
