// Package client calls a mneme server over its REST API.
//
// [New] makes a [Client] of a server's address and a token. It has a method for
// each call that most programs need: [Client.Put], [Client.Get],
// [Client.Delete], [Client.Search], the iterators [Client.List] and
// [Client.Trash], and the streams [Client.Export] and [Client.Import].
//
// The remaining calls are methods of the embedded [API], which is generated
// from the server's OpenAPI document. They return the response unread, and
// [Decode] reads it:
//
//	grants, err := client.Decode[client.Grants](c.ListGrants(ctx, "self"))
//
// A response that reports a problem becomes an [*Error]. No error holds a
// token, a URL, a store's id, a key or an entry's text, so errors can be logged.
package client
