package dotsandboxes

import (
	"embed"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
)

const (
	agentName = "dotsandboxesagent" // required by the competition
	agentMark = "Written by endwise shim dotsandboxes."
)

//go:embed starter
var starter embed.FS

func newShimCmd(a *cli.App) *cobra.Command {
	source := func(string) (text, note string, err error) { return agentLauncher, "PORT plays", nil }
	return a.ShimCmd(&cobra.Command{
		Use:   "dotsandboxes DIR",
		Short: "Write the launcher that the competition starts an agent with",
		Long: `Writes DIR/dotsandboxesagent, which the competition starts as
"./dotsandboxesagent PORT", and copies this program next to it. The file is a shell
script that starts an agent on that port (help bot dotsandboxes): the program that
the environment variable ENDWISE names, the one next to it, or endwise on the PATH.
Further arguments are passed to the program, for instance --hash 512.`,
		Example: "  endwise shim dotsandboxes my-agent && my-agent/dotsandboxesagent 8089",
	}, cli.Shim{Name: agentName, Mark: agentMark, Source: source, Starter: starter})
}

const agentLauncher = `#!/bin/sh
# ` + agentMark + `
# Plays Dots and Boxes as a websocket agent on the port given.
port=$1
case $port in
'' | *[!0-9]*)
	echo "usage: $0 PORT" >&2
	exit 2
	;;
esac
shift
endwise=${ENDWISE:-$(dirname "$0")/endwise}
if [ ! -x "$endwise" ]; then
	if ! command -v endwise >/dev/null; then
		echo "endwise: there is no $endwise, and no endwise on the PATH" >&2
		exit 1
	fi
	endwise=endwise
fi
exec "$endwise" bot dotsandboxes --addr "$port" "$@"
`
