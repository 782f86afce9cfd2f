import ArticleAPI
import ArticleConnectors
import ArticleDatabase
import ArticleOperations
import ArticleResources
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import Glibc

/// The metrics of a running server, collected on request.
struct MetricsPage: Sendable {
    let server: HTTPServer
    let meters: Meters
    let backend: Backend
    let webhooks: Webhooks
    let poller: SourcePoller
    let store: any SQLStore
    /// `nil` without TLS.
    let certificates: Certificates?
    let startedAt: Timestamp
    let output: ServerOutput
    let system: SystemEnvironment

    /// Counters that are updated while the server runs.
    struct Meters: Sendable {
        let exchanges = ExchangeMetrics()
        let handshakes = HandshakeMetrics()
    }

    func text() async -> [UInt8] {
        var page = MetricsText()
        page.family("broadsheet_build_info", .gauge, help: "Always 1; the version is a label.")
        page.sample("broadsheet_build_info", ["version": Version.number], 1)
        meters.exchanges.write(to: &page)
        meters.handshakes.write(to: &page)
        await writeServer(to: &page)
        writeBackend(to: &page)
        writeStreams(to: &page)
        writeSearch(to: &page)
        await writeStore(to: &page)
        WebhookMetrics.write(webhooks.statistics, to: &page)
        await SourceMetrics.write(poller, at: system.now, to: &page)
        OperationMetrics.write(of: store, certificates, in: system, to: &page)
        writeProcess(to: &page)
        return page.bytes
    }

    private func writeServer(to page: inout MetricsText) async {
        page.single(
            "broadsheet_connections", .gauge, help: "Open client connections.",
            server.connectionCount)
        page.single(
            "broadsheet_read_buffers", .gauge,
            help: "Read buffers in use; idle connections hold none.",
            server.buffersInUse)
        let rejected = "broadsheet_http_refused_total"
        page.family(
            rejected, .counter, help: "Connections and requests rejected by limits, by reason.")
        for (reason, count) in server.rejections {
            page.sample(rejected, ["reason": reason.rawValue], count)
        }
        page.single(
            "broadsheet_log_dropped_lines_total", .counter,
            help: "Log lines dropped because nobody read the log or writing failed.",
            output.errors.droppedLines)
        page.single(
            "broadsheet_http_request_body_bytes", .gauge, unit: "bytes",
            help: "Bytes of request bodies in memory.", server.bodyBytes)
        let lag = "broadsheet_loop_lag_seconds"
        page.family(
            lag, .gauge, unit: "seconds",
            help: "Current delay until an event loop runs new work.")
        for (index, seconds) in await server.loopLags().enumerated() {
            page.sample(lag, ["loop": "\(index)"], seconds)
        }
    }

    private func writeBackend(to page: inout MetricsText) {
        let cache = backend.cacheStatistics
        let counters = [
            ("hits", "Requests served from the cache of public responses.", cache.hits),
            ("misses", "Requests that were not in the cache.", cache.misses),
            ("shared", "Misses that waited for the response of another request.", cache.shared),
            ("evictions", "Responses evicted to make room for others.", cache.evictions),
        ]
        for (name, help, value) in counters {
            page.single("broadsheet_cache_\(name)_total", .counter, help: help, value)
        }
        page.single(
            "broadsheet_cache_answers", .gauge, help: "Responses in the cache.",
            cache.responses)
        page.single(
            "broadsheet_cache_bytes", .gauge, unit: "bytes",
            help: "Memory of the responses in the cache.", cache.bytes)
        let queue = "broadsheet_work_queue_depth"
        page.family(queue, .gauge, help: "Jobs that wait for a worker.")
        page.sample(queue, ["queue": "compression"], backend.waitingCompressions)
        page.sample(queue, ["queue": "markdown"], backend.waitingRenderings)
    }

    private func writeStreams(to page: inout MetricsText) {
        let streams = backend.streams.statistics
        page.single("broadsheet_streams", .gauge, help: "Open change streams.", streams.open)
        page.single(
            "broadsheet_stream_channels", .gauge,
            help: "Groups of change streams that receive the same events.", streams.channels)
        page.single(
            "broadsheet_stream_changes_total", .counter,
            help: "Changes encoded for the streams of a channel.", streams.changes)
        for (name, help, counts) in [
            ("refused", "Change streams rejected by a limit, by reason.", streams.rejected),
            ("ended", "Change streams that have ended, by reason.", streams.ended),
        ] {
            let family = "broadsheet_streams_\(name)_total"
            page.family(family, .counter, help: help)
            for (reason, count) in counts.sorted(by: { $0.key < $1.key }) {
                page.sample(family, ["reason": reason], count)
            }
        }
    }

    private func writeSearch(to page: inout MetricsText) {
        let index = backend.indexer.statistics
        page.single(
            "broadsheet_search_documents", .gauge, help: "Articles in the search index.",
            index.documents)
        page.single(
            "broadsheet_search_segments", .gauge, help: "Segments of the search index.",
            index.segments)
        page.single(
            "broadsheet_search_index_bytes", .gauge, unit: "bytes",
            help: "Stored size of the search index.", index.bytes)
        page.single(
            "broadsheet_search_built_ratio", .gauge,
            help: "Fraction of the changes that the search index contains; search responds once "
                + "it is 1.",
            index.progress)
        page.single(
            "broadsheet_search_lag_seconds", .gauge, unit: "seconds",
            help: "Age of the oldest commit that the index may lack.", index.lagSeconds)
    }

    private func writeStore(to page: inout MetricsText) async {
        let statistics = store.statistics
        page.single(
            "broadsheet_store_commits_total", .counter,
            help: "Commits, each with one flush of the write-ahead log.", statistics.commits)
        page.single(
            "broadsheet_store_writes_total", .counter,
            help: "Writes made durable by these commits.", statistics.writes)
        let sharing = "broadsheet_store_writes_per_commit"
        page.histogram(
            sharing, help: "Writes per commit, including rejected ones.",
            bounds: StoreStatistics.sharingBounds.map { "\($0)" },
            counts: statistics.commitsBySharing, sum: statistics.steps)
        page.single(
            "broadsheet_store_checkpoints_total", .counter,
            help: "Checkpoints of the write-ahead log into the database file.",
            statistics.checkpoints)
        writeNode(to: &page)
        if let bytes = store.fileBytes {
            page.single(
                "broadsheet_store_file_bytes", .gauge, unit: "bytes",
                help: "Size of the database file.", bytes.database)
            page.single(
                "broadsheet_store_log_bytes", .gauge, unit: "bytes",
                help: "Size of the write-ahead log.", bytes.log)
        }
        let queue = "broadsheet_store_queue_depth"
        page.family(queue, .gauge, help: "Queued reads and writes of the store.")
        page.sample(queue, ["queue": "reads"], statistics.waitingReads)
        page.sample(queue, ["queue": "writes"], statistics.waitingWrites)
        page.single(
            "broadsheet_store_commit_seconds", .gauge, unit: "seconds",
            help: "How long the commit in progress has taken; 0 if there is none.",
            statistics.commitSeconds)
        page.single(
            "broadsheet_store_commits_wait_for_standby", .gauge,
            help: "Whether writes are rejected, as a commit waits for a standby: 0 or 1.",
            statistics.commitDelay == .standby ? 1 : 0)
        page.single(
            "broadsheet_published_articles_total", .counter,
            help: "Scheduled articles that were published when they were due.",
            backend.publisher.publishedCount)
        // If the store cannot be read, only these samples are left out.
        if let counts = try? await store.scheduledCounts(at: system.now) {
            page.single(
                "broadsheet_scheduled_articles", .gauge,
                help: "Scheduled articles; upcoming and overdue ones each up to 10,000.",
                counts.upcoming + counts.overdue)
            page.single(
                "broadsheet_overdue_articles", .gauge,
                help: "Scheduled articles that are due but not published.", counts.overdue)
        }
        if let sequence = try? await store.changeSequence() {
            page.single(
                "broadsheet_change_sequence", .gauge, help: "Sequence number of the last change.",
                sequence)
        }
    }

    /// Writes the metrics of this process's relation to others that use the database.
    private func writeNode(to page: inout MetricsText) {
        page.single(
            "broadsheet_node_servers", .gauge, help: "Servers of the database.",
            store.node.serverCount)
        page.single(
            "broadsheet_node_is_leader", .gauge,
            help: "1 on the server that publishes, calls webhooks and polls sources.",
            store.node.isLeader ? 1 : 0)
        page.single(
            "broadsheet_node_is_current", .gauge,
            help: "Whether the server has seen everything until a second ago: 0 or 1.",
            store.node.isCurrent ? 1 : 0)
        page.single(
            "broadsheet_node_last_commit", .gauge,
            help: "Number of the last commit of any server that this one has seen.",
            Int(store.node.lastCommit))
    }

    private func writeProcess(to page: inout MetricsText) {
        let process = ProcessStatistics()
        page.single(
            "process_cpu_seconds_total", .counter, unit: "seconds",
            help: "User and system CPU time.", process.cpuSeconds)
        page.single(
            "process_start_time_seconds", .gauge, unit: "seconds",
            help: "Start time of the process, since 1970.",
            Double(startedAt.milliseconds) / 1_000)
        let gauges: [(name: String, unit: String?, help: String, value: Int?)] = [
            (
                "process_resident_memory_bytes", "bytes", "Resident memory.",
                process.residentBytes
            ),
            (
                "process_virtual_memory_bytes", "bytes", "Virtual memory.",
                process.virtualBytes
            ),
            ("process_open_fds", nil, "Open file descriptors.", process.openDescriptors),
            (
                "process_max_fds", nil, "Maximum number of open file descriptors.",
                process.descriptorLimit
            ),
        ]
        for gauge in gauges {
            guard let value = gauge.value else { continue }
            page.single(gauge.name, .gauge, unit: gauge.unit, help: gauge.help, value)
        }
    }
}

/// The routes of `--admin-listen`, which must not be reachable by the public.
enum AdminRoutes {
    static func router(_ page: MetricsPage) throws(RouterError) -> HTTPRouter {
        var builder = HTTPRouterBuilder()
        page.backend.health.register(on: &builder)
        builder.on(.get, "/metrics") { _, _ in
            HTTPResponse(
                .ok,
                fields: [.contentType: MetricsText.mediaType, .cacheControl: "no-store"],
                body: .bytes(await page.text()))
        }
        return try builder.build()
    }
}

/// The kernel's figures for this process (proc(5)); `nil` if unavailable.
struct ProcessStatistics {
    let residentBytes: Int?
    let virtualBytes: Int?
    let openDescriptors: Int?
    let descriptorLimit: Int
    let cpuSeconds: Double

    /// Reads the current figures.
    init() {
        let memory = ProcessMemory()
        virtualBytes = memory?.virtualBytes
        residentBytes = memory?.residentBytes
        openDescriptors = Self.countEntries(of: "/proc/self/fd")
        descriptorLimit = DescriptorLimit.current
        cpuSeconds = Double(SystemClock.processNanoseconds) / 1_000_000_000
    }

    /// Does not count `.`, `..` and the descriptor that reads the folder.
    private static func countEntries(of path: String) -> Int? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return max(0, count - 3)
    }
}
