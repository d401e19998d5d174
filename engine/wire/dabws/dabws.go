// Package dabws plays Dots and Boxes over websockets, in the protocol of the course competitions: an agent
// is a websocket server, and the game (a match driver or a page) connects to it. One text frame contains
// one JSON message. grid is [rows, cols] of boxes; package dotsandboxes describes the places of lines.
//
//	game → agent   {"type":"start","player":1,"timelimit":0.5,"grid":[5,5],"game":"id"}
//	agent → game   {"type":"action","location":[r,c],"orientation":"v"}
//	game → agent   {"type":"action","game":"id","player":1,"nextplayer":2,
//	                "score":[0,0],"location":[r,c],"orientation":"v"}
//	game → agent   {"type":"end",…,"nextplayer":0,"winner":1}
//
// Every line is sent to both players. An agent answers the start message if it is player 1, and an
// action if it is then its turn. The last line is sent only in end; winner is 0 for a tie. timelimit
// is in seconds. The end of a forfeited game contains no line, but the field reason, a sentence.
//
// Besides type, the following fields are required. game is required if a connection has several
// games. Package lenient defines the accepted spellings. Faults of other fields are logged.
//
//	start    player, grid
//	action   location, orientation; nextplayer if it differs from the rules
//
// The agent ignores a line that cannot be drawn. If the message gives the agent the turn, the agent
// answers nevertheless, because the game waits for the answer. Unusable messages are logged; a
// message of more than 16 MiB ends the connection.
package dabws
