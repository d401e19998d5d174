package blocks

// In a browser there is neither Badger nor zstd: all blocks are in one file.

// Create makes the files of a new table in a directory.
func Create(dir string) (Writer, error) { return CreateOneFile(dir) }

func newUnzipper() (unzipper, error) { return nil, Foreign("its blocks are compressed") }

func openBadger(string, decoder) (Reader, error) {
	return nil, Foreign("not a packed table, which a browser needs")
}
