# An image with nothing but mneme: one static binary, TLS root certificates, an
# empty data folder and /tmp. For linux on amd64 and arm64:
#
#   docker build --tag mneme --build-arg VERSION="$(git describe --always --dirty)" .
#   docker run -p 127.0.0.1:7077:7077 -v mneme:/var/lib/mneme mneme

# The compiler runs natively and cross-compiles for the target.
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
ENV GOMODCACHE=/cache/module GOCACHE=/cache/build

COPY go.mod go.sum ./
RUN --mount=type=cache,target=/cache go mod download

COPY . .
ARG TARGETOS=linux
ARG TARGETARCH
ARG VERSION
RUN --mount=type=cache,target=/cache \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /image/mneme ./cmd/mneme

# Files in /image belong to root, those in /owned to the service.
RUN packaging/image/tree.sh /image /owned

FROM scratch
ARG VERSION
LABEL org.opencontainers.image.title="mneme" \
      org.opencontainers.image.description="Memory search for agents" \
      org.opencontainers.image.licenses="Apache-2.0 AND MIT" \
      org.opencontainers.image.version=$VERSION
COPY --from=build /image/ /
# A new volume inherits its owner from this folder.
COPY --from=build --chown=65532:65532 /owned/ /

USER 65532:65532
# Listen on all addresses of the container; publishing ports is up to its user.
ENV MNEME_ADDR=:7077 MNEME_DATA_DIR=/var/lib/mneme
VOLUME /var/lib/mneme
EXPOSE 7077
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/mneme", "ready"]
ENTRYPOINT ["/mneme"]
CMD ["serve"]
