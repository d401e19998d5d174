// Package dabws plays Dots and Boxes over websockets, in the protocol of the
// course competitions in which an agent is a websocket server and the game (a
// match driver or a page) connects to it. One text frame holds one JSON
// message; grid is [rows, cols] of boxes; h lines lie at row 0..rows and
// column 0..cols-1, v lines at row 0..rows-1 and column 0..cols.
//
//	game → agent   {"type":"start","player":1,"timelimit":0.5,"grid":[5,5],"game":"id"}
//	agent → game   {"type":"action","location":[r,c],"orientation":"v"}
//	game → agent   {"type":"action","game":"id","player":1,"nextplayer":2,
//	                "score":[0,0],"location":[r,c],"orientation":"v"}
//	game → agent   {"type":"end",…,"nextplayer":0,"winner":1}
//
// Every line is told to both players, the mover included; a player answers if
// and only if nextplayer is a player it was started as. The final line comes
// only inside end; winner is 0 on a tie. timelimit is in seconds.
//
// A move needs these fields, in any spelling of package lenient; any other field may be
// missing or odd, which is logged:
//
//	start    player, grid; game if there are several on a connection
//	action   location, orientation, nextplayer where it differs from the rules; game likewise
//	end      game likewise
//	answer   location, orientation
//
// A line that cannot be drawn is ignored. The turn that nextplayer announces is answered
// all the same, since the game waits for it.
//
// Messages are read and written in message.go. Agent is the server (agent.go);
// what comes over each of its sockets is thought about and answered in
// connection.go, by the clock of clock.go. A board is one for the solvers (board.go) or a larger one, which is
// played by simple rules (large.go). The agent thinks in the opponents' time
// (ponder.go) and writes games down (transcript.go). Remote is the other end as
// an engine.Player (remote.go).
// Whatever comes in over a socket is hostile until proven friendly: it is
// logged where it makes no sense, and neither the connection nor the other
// games on it suffer.
package dabws
