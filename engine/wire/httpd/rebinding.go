package httpd

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Foreign returns an error for a request that must be refused:
//
//   - requests for a host name that is not a name of this machine, as in an attack by DNS rebinding;
//   - requests from pages of another site.
//
// Names of this machine are IP addresses, localhost, the host name with any domain, and
// names, which may have the form HOST:PORT.
func Foreign(r *http.Request, names ...string) error {
	if host := hostOf(r.Host); host != "" && !isThisMachine(host, names) {
		return fmt.Errorf("unknown host %.60q; allow it with --allow-host", host)
	}
	if foreignOrigin(r) {
		return errors.New("requests from another site are refused")
	}
	return nil
}

// foreignOrigin reports whether a request comes from a page of another site. Requests without an origin
// or with the origin null, from files, from a loopback address and from the requested host do not.
func foreignOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || origin == "null" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Scheme != "file" && u.Host != r.Host && !isLoopback(hostOf(u.Host))
}

// hostOf returns the name in HOST or HOST:PORT.
func hostOf(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

func isLoopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || ip != nil && ip.IsLoopback()
}

// isThisMachine reports whether name is a name of this machine as in [Foreign].
func isThisMachine(name string, allowed []string) bool {
	if net.ParseIP(name) != nil || isLoopback(name) {
		return true
	}
	if slices.ContainsFunc(allowed, func(n string) bool { return hostOf(n) == name }) {
		return true
	}
	own, err := os.Hostname()
	first, _, _ := strings.Cut(name, ".")
	ownFirst, _, _ := strings.Cut(strings.ToLower(own), ".")
	return err == nil && first == ownFirst
}
