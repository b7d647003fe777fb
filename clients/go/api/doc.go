// Package api has the types of the REST API, and one method of [Calls] for each
// call, which returns the response unread. Everything except this comment is
// generated from the OpenAPI document. Programs use it through package client.
package api

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../../../server/rest/openapi.yaml
