// Package client calls a mneme server over its REST API.
//
// [New] returns a [Client] of a server. It has methods for the calls that most
// programs need: [Client.Put], [Client.Get],
// [Client.Delete], [Client.Search], the iterators [Client.List] and
// [Client.Trash], and the streams [Client.Export] and [Client.Import].
//
// The remaining calls are methods of the embedded [api.Calls], which is generated
// from the server's OpenAPI document, like all types of package api. They return the
// response unread, and [Decode] reads it:
//
//	grants, err := client.Decode[api.Grants](c.ListGrants(ctx, "self", nil))
//
// A response that reports a problem becomes an [*Error]. Errors never
// include a token, a URL, a store ID, a key or an entry's text, so they can be
// logged.
package client
