package client

import (
	"net/url"
	"strings"
)

// keyToQuery moves the key of an entry from the path to the query if it contains a slash:
// proxies may refuse %2F or decode it.
func keyToQuery(u *url.URL) {
	path := u.EscapedPath()
	at := strings.Index(path, "/v1/stores/")
	if at < 0 {
		return
	}
	segments := strings.Split(path[at:], "/") // "", v1, stores, store, memories, key
	if len(segments) < 6 || segments[4] != "memories" || !strings.Contains(segments[5], "%2F") {
		return
	}
	key, err := url.PathUnescape(segments[5])
	if err != nil {
		return
	}
	segments[5] = "-"
	raw := path[:at] + strings.Join(segments, "/")
	if u.Path, err = url.PathUnescape(raw); err != nil {
		return
	}
	u.RawPath = raw
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += "key=" + strings.ReplaceAll(url.QueryEscape(key), "%2F", "/")
}
