# Any image with Swift 6.3 builds it; any with Debian 12's libraries runs it.
ARG BUILD_IMAGE=swift:6.3-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
# The newest patch of Debian's stable release is wanted, not a version that will be gone.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        libcmark-gfm-dev libcmark-gfm-extensions-dev libidn2-dev libnghttp2-dev libpq-dev \
        libseccomp-dev libsodium-dev libsqlite3-dev libssl-dev libxml2-dev libyaml-dev \
        pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift ./
COPY Plugins Plugins
COPY Resources Resources
COPY Sources Sources
COPY Tests Tests
RUN swift build --configuration release --static-swift-stdlib \
        -debug-info-format none --product broadsheet \
    && install -D --strip .build/release/broadsheet /install/broadsheet

FROM ${RUNTIME_IMAGE}
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates libcmark-gfm0.29.0.gfm.6 libcmark-gfm-extensions0.29.0.gfm.6 \
        libidn2-0 libnghttp2-14 libpq5 libseccomp2 libsodium23 libsqlite3-0 libssl3 libxml2 \
        libyaml-0-2 zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin broadsheet \
    && install --directory --owner broadsheet --mode 0700 /data
COPY --from=build /install/broadsheet /usr/local/bin/broadsheet
USER 10001
WORKDIR /data
VOLUME /data
ENV BROADSHEET_DATABASE=/data/broadsheet.db \
    BROADSHEET_LISTEN=0.0.0.0:8080
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s CMD ["broadsheet", "health"]
ENTRYPOINT ["broadsheet"]
CMD ["serve"]
