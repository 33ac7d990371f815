# platen built by a container engine, from the project alone: docker build -t platen .
# `make container` makes a smaller image without an engine. How to run either: docs/containers.md.
ARG BUILD=docker.io/library/node:24-trixie
# Any Linux with glibc 2.28, libstdc++ and libgcc.
ARG BASE=docker.io/library/debian:trixie-slim

FROM ${BUILD} AS build
WORKDIR /src
COPY . .
RUN make build && packaging/container.sh --tree /image "$(dpkg --print-architecture)"

FROM ${BASE}
COPY --from=build /image/ /
COPY --from=build --chown=10000:10000 /image/var/lib/platen /var/lib/platen
USER 10000:10000
EXPOSE 8080
ENV HOME=/var/lib/platen NODE_ENV=production STATE_DIRECTORY=/var/lib/platen PLATEN_CONFIG=/var/lib/platen/config.json \
    PLATEN_ANNOUNCE=0 MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=8192 MALLOC_TRIM_THRESHOLD_=65536
WORKDIR /var/lib/platen
VOLUME /var/lib/platen
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["/usr/lib/platen/bin/node", "/usr/lib/platen/start.cjs", "health"]
ENTRYPOINT ["/usr/lib/platen/bin/node", "/usr/lib/platen/start.cjs"]
