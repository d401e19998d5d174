package jetstream

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"endwise/engine/testenv"
)

// certificates writes a CA, and a certificate with its key for both sides.
func certificates(t *testing.T) (ca, cert, key string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(dir, name)
		testenv.OK(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return file
	}
	makeKey := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		testenv.OK(t, err)
		return k
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	rootKey := makeKey()
	der, err := x509.CreateCertificate(rand.Reader, root, root, rootKey.Public(), rootKey)
	testenv.OK(t, err)
	ca = write("ca.pem", "CERTIFICATE", der)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "both"}, NotBefore: root.NotBefore, NotAfter: root.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	leafKey := makeKey()
	der, err = x509.CreateCertificate(rand.Reader, leaf, root, leafKey.Public(), rootKey)
	testenv.OK(t, err)
	cert = write("cert.pem", "CERTIFICATE", der)
	der, err = x509.MarshalECPrivateKey(leafKey)
	testenv.OK(t, err)
	return ca, cert, write("key.pem", "EC PRIVATE KEY", der)
}

// A server that requires a password and certificates accepts only a worker that has both.
func TestLogin(t *testing.T) {
	t.Parallel()
	ca, cert, key := certificates(t)
	login := Login{User: "endwise", Password: "secret", Cert: cert, Key: key, CA: ca}
	e := embedded(t, EmbeddedOptions{Login: login})
	c := begin(t, Options{Server: e.Server})
	good := Server{URL: e.Server.URL, Login: login}
	startWorker(t, workerSpec{Server: good, Name: "w", Threads: 1, Lie: -1})
	run := mixRun{short: 5, long: 1}
	if got, err := run.on(t.Context(), c); err != nil || got != run.alone(t) {
		t.Errorf("digest %s, %v", got, err)
	}
	wrong, without := good, good
	wrong.Password = "guess"
	without.Cert, without.Key = "", ""
	for name, s := range map[string]Server{"a wrong password": wrong, "no certificate": without, "neither": {URL: e.Server.URL}} {
		if _, err := AskStatus(t.Context(), s); !errors.Is(err, ErrServer) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := AskStatus(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "check user, password or credentials file") {
		t.Errorf("a wrong password: %v", err)
	}
	withPassword := Server{URL: "nats://me:secret@127.0.0.1:1"}
	if _, err := AskStatus(t.Context(), withPassword); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the password is shown: %v", err)
	}
}
