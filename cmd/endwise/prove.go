package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/disk"
	"endwise/solver/certificate"
	"endwise/solver/farm"
)

type proveOptions struct {
	board, out      string
	threads, hashMB int
	leaves          int
}

func newProveCmd(a *cli.App) *cobra.Command {
	var o proveOptions
	c := &cobra.Command{
		Use:   "prove GAME [--board B] --out FILE",
		Short: "Write a certificate of a board's value",
		Long: `Writes a certificate: for each player a move in every position that the opponent
can bring about, so that the value follows from the rules alone. Checkers that
contain the rules and no solver verify it:

  go run ./cmd/checkproof FILE
  python3 cmd/checkproof/checkproof.py FILE

Circuit Wars and Dots and Boxes have certificates of boards, Watch Your Back only of
its last stage, 4x4, which needs no --board. Dots and Boxes 3x3 takes a second, 3x4
ten (2 million moves, 1 MB), 4x4 38 minutes of processor time with --hash 4096 (227
million moves, 112 MB). The bytes of a certificate are the same for any --threads
and --hash.

With --leaves it writes a claims file instead: the part of the certificate near the
empty board. It ends in claims without a proof, the leaves. The checkers verify that
the value follows from them; verify --claims FILE solves random ones anew.

After an interruption (Ctrl-C) the same command resumes; until it is done, FILE.part
contains the moves found so far.`,
		Example: "  endwise prove dotsandboxes --board 3x3 --out proof.gz",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, rest []string) error { return o.run(cmd.Context(), a, rest[0]) },
	}
	c.Flags().StringVar(&o.board, "board", "", cli.BoardUsage+", for instance 3x4")
	c.Flags().StringVar(&o.out, "out", "", "write the certificate to this file")
	c.Flags().IntVar(&o.leaves, "leaves", 0, "write a claims file, without proofs of positions "+
		"with at most this number of free lines; 0 writes a certificate")
	c.Flags().IntVar(&o.threads, "threads", cli.Processors, cli.ThreadsUsage)
	c.Flags().IntVar(&o.hashMB, "hash", 256, cli.HashUsage)
	return c
}

func (o *proveOptions) check() error {
	if o.out == "" {
		return errors.New("--out: give the name of the file to write")
	}
	return cmp.Or(cli.Want(o.leaves >= 0, "--leaves", o.leaves, "0 or more"), cli.WantSizes(o.threads, o.hashMB))
}

func (o *proveOptions) run(ctx context.Context, a *cli.App, game string) error {
	g, err := a.Games.Named(game)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return cli.BadInput(err)
	}
	title := game + " " + o.board // identifies the run that a part belongs to
	if o.leaves > 0 {
		title += fmt.Sprint(" leaves ", o.leaves)
	}
	part, err := openPart(o.out+".part", title)
	if err != nil {
		return err
	}
	var p farm.Progress
	stop := cli.ShowProgress(a.Stderr, &p)
	cert, err := g.Prove(ctx, o.board, certificate.Options{
		Threads: o.threads, HashBytes: int64(o.hashMB) << 20, Progress: &p, Known: part.known, Record: part.record, Leaf: o.leaves,
	})
	stop(err)
	if err == nil {
		err = disk.WriteFile(o.out, 0o644, cert.Encode)
	}
	useless := err == nil || len(part.known) == 0 && !part.recorded
	err = errors.Join(err, part.close(useless))
	switch {
	case errors.Is(err, certificate.ErrNone):
		return cli.BadInput(err)
	case errors.Is(err, certificate.ErrRecorded):
		return fmt.Errorf("%s is of another version, remove it: %w", o.out+".part", err)
	case err != nil:
		return cli.Resumable(err)
	}
	file, err := filepath.Abs(o.out)
	if err != nil {
		return err
	}
	what, how := "value "+answer.Signed(cert.Value), "proved"
	if g.Web.Unit == "" {
		what = "values of all positions, the longest win in " + cli.Count(cert.Value, "turn")
	}
	if cert.Claims {
		how = "reduced to leaves"
	}
	fmt.Fprintf(a.Stdout, "%s %s: %s, %s by %s: %s bytes, unpacked %s\n", g.Title(), cert.Board(),
		what, how, o.out, engine.Digits(sizeOf(o.out)), engine.Digits(len(cert.Body)))
	_, err = fmt.Fprintf(a.Stdout, "  digest     %s\n  check it   in a clone of Endwise: go run ./cmd/checkproof %s\n"+
		"             or: python3 cmd/checkproof/checkproof.py %[2]s (up to 200 times slower)\n", cert.Digest(), file)
	return err
}

// part is the file of an unfinished certificate. Its first record is a title, the others
// contain the moves found so far.
type part struct {
	path     string
	known    []byte // the moves that an earlier run found
	recorded bool   // this run has added moves
	log      *disk.Log
}

var partFrames = disk.Frames{Order: binary.LittleEndian, Max: 1 << 20}

// openPart opens and locks the part at path, or creates it. A part with another title is bad input.
func openPart(path, title string) (*part, error) {
	head := disk.Bytes(partFrames.Append(nil, []byte(title)))
	if err := disk.WriteNewFile(path, 0o644, head); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, cli.BadInput(fmt.Errorf("--out: %w", err))
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--out: %w", err))
	}
	p, err := readPart(f, path, title)
	if err != nil {
		f.Close()
	}
	return p, err
}

// readPart locks and reads f. The part that it returns owns f.
func readPart(f *os.File, path, title string) (*part, error) {
	if err := disk.LockFile(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p := &part{path: path}
	records := 0
	end, _, err := partFrames.Scan(f, func(_ int64, record []byte) error {
		if records++; records > 1 {
			p.known = append(p.known, record...)
		} else if string(record) != title {
			return cli.BadInput(fmt.Errorf("%s is the unfinished certificate of %.40q: remove it or choose another --out", path, record))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if p.log, err = disk.NewLog(f, end); err != nil {
		return nil, err
	}
	if records == 0 {
		_, err = p.log.Write(partFrames.Append(nil, []byte(title)))
	}
	return p, err
}

func (p *part) record(moves []byte) error {
	p.recorded = true
	if _, err := p.log.Write(partFrames.Append(nil, moves)); err != nil {
		return err
	}
	return p.log.SyncEvery(10 * time.Second)
}

func (p *part) close(remove bool) error {
	err := p.log.Close()
	if remove {
		err = errors.Join(err, os.Remove(p.path))
	}
	return err
}
