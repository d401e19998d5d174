module endwise

go 1.26.0

tool honnef.co/go/tools/cmd/staticcheck

require (
	github.com/chromedp/cdproto v0.159.0 // tests: what chromedp says to the browser
	github.com/chromedp/chromedp v0.22.1 // tests of the pages in a browser
	github.com/coder/websocket v1.8.15 // agents of Dots and Boxes
	github.com/dgraph-io/badger/v4 v4.9.6 // tables
	github.com/dgraph-io/ristretto/v2 v2.2.0 // the buffers that badger's stream writer takes
	github.com/google/go-cmp v0.7.0 // tests: differences
	github.com/klauspost/compress v1.20.3 // zstd for blocks
	github.com/nats-io/nats-server/v2 v2.15.2 // more machines, without a server to install
	github.com/nats-io/nats.go v1.55.0 // more machines
	github.com/rogpeppe/go-internal v1.16.0 // tests: scripts of command lines
	github.com/schollz/progressbar/v3 v3.19.1 // progress of long work
	github.com/spf13/cobra v1.10.2 // command line
	github.com/spf13/pflag v1.0.9 // command line: flags
	go.uber.org/goleak v1.3.0 // tests: goroutines left behind
	golang.org/x/sync v0.23.0 // work in threads
	golang.org/x/sys v0.49.0 // networks of their own for programs
	golang.org/x/term v0.47.0 // widths of terminals
	golang.org/x/time v0.16.0 // requests a client may make
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/antithesishq/antithesis-sdk-go v0.8.0-default-no-op // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/google/flatbuffers v25.2.10+incompatible // indirect
	github.com/google/go-tpm v0.9.8 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/minio/highwayhash v1.0.4 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/nats-io/jwt/v2 v2.8.2 // indirect
	github.com/nats-io/nkeys v0.4.16 // indirect
	github.com/nats-io/nuid v1.0.1 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	go.opentelemetry.io/auto/sdk v1.2.1 // indirect
	go.opentelemetry.io/otel v1.41.0 // indirect
	go.opentelemetry.io/otel/metric v1.41.0 // indirect
	go.opentelemetry.io/otel/trace v1.41.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	google.golang.org/protobuf v1.36.7 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)
