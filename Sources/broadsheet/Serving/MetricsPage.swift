import ArticleAPI
import ArticleServices
import ArticleStore
import HTTPServer
import SQLiteStore

/// Everything that can be measured of a served database, put together when it is asked for.
struct MetricsPage: Sendable {
    let server: HTTPServer
    let meters: Meters
    let backend: Backend
    let store: SQLiteStore
    let startedAt: Timestamp
    let output: ServerOutput

    /// What counts while it serves.
    struct Meters: Sendable {
        let exchanges = ExchangeMetrics()
        let handshakes = HandshakeMetrics()
    }

    func text() async -> [UInt8] {
        var page = MetricsText()
        page.family("broadsheet_build_info", .gauge, help: "1, with the version as a label.")
        page.sample("broadsheet_build_info", ["version": VersionCommand.number], 1)
        meters.exchanges.write(to: &page)
        meters.handshakes.write(to: &page)
        await writeServer(to: &page)
        writeBackend(to: &page)
        await writeStore(to: &page)
        writeProcess(to: &page)
        return page.bytes
    }

    private func writeServer(to page: inout MetricsText) async {
        page.single(
            "broadsheet_connections", .gauge, help: "Client connections that are open.",
            server.connectionCount)
        page.single(
            "broadsheet_read_buffers", .gauge,
            help: "Read buffers that connections hold; idle ones hold none.",
            server.buffersInUse)
        let refused = "broadsheet_http_refused_total"
        page.family(
            refused, .counter, help: "Connections and requests that limits refused, by reason.")
        for (reason, count) in server.refusals {
            page.sample(refused, ["reason": reason.rawValue], count)
        }
        page.single(
            "broadsheet_log_dropped_lines_total", .counter,
            help: "Lines of the log that were not written: nobody read it, or writing failed.",
            output.errors.droppedLines)
        page.single(
            "broadsheet_http_request_body_bytes", .gauge, unit: "bytes",
            help: "Bytes of requests' bodies that are in memory.", server.bodyBytes)
        let lag = "broadsheet_loop_lag_seconds"
        page.family(
            lag, .gauge, unit: "seconds",
            help: "How long an event loop took just now to come to new work.")
        for (index, seconds) in await server.loopLags().enumerated() {
            page.sample(lag, ["loop": "\(index)"], seconds)
        }
    }

    private func writeBackend(to page: inout MetricsText) {
        let cache = backend.cacheStatistics
        let counters = [
            ("hits", "Requests that the cache of public answers had an answer for.", cache.hits),
            ("misses", "Requests that it had none for.", cache.misses),
            ("shared", "Of these, those that waited for what another one made.", cache.shared),
            ("evictions", "Answers that went to make room for others.", cache.evictions),
        ]
        for (name, help, value) in counters {
            page.single("broadsheet_cache_\(name)_total", .counter, help: help, value)
        }
        page.single(
            "broadsheet_cache_answers", .gauge, help: "Answers that the cache keeps.",
            cache.answers)
        page.single(
            "broadsheet_cache_bytes", .gauge, unit: "bytes", help: "What these take.", cache.bytes)
        let queue = "broadsheet_work_queue_depth"
        page.family(queue, .gauge, help: "Work that waits for a thread of its own.")
        page.sample(queue, ["queue": "compression"], backend.waitingCompressions)
        page.sample(queue, ["queue": "markdown"], backend.waitingRenderings)
    }

    private func writeStore(to page: inout MetricsText) async {
        let statistics = store.statistics
        page.single(
            "broadsheet_store_commits_total", .counter,
            help: "Commits, each with one flush of the log.", statistics.commits)
        page.single(
            "broadsheet_store_writes_total", .counter,
            help: "Writes that these commits made durable.", statistics.writes)
        let sharing = "broadsheet_store_writes_per_commit"
        page.histogram(
            sharing, help: "Writes that shared a commit, refused ones too.",
            bounds: SQLiteStore.Statistics.sharingBounds.map { "\($0)" },
            counts: statistics.commitsBySharing, sum: statistics.steps)
        page.single(
            "broadsheet_store_checkpoints_total", .counter,
            help: "Times that the log was moved into the file.", statistics.checkpoints)
        if let bytes = store.fileBytes {
            page.single(
                "broadsheet_store_file_bytes", .gauge, unit: "bytes",
                help: "The database file.", bytes.database)
            page.single(
                "broadsheet_store_log_bytes", .gauge, unit: "bytes",
                help: "The write-ahead log beside it.", bytes.log)
        }
        let queue = "broadsheet_store_queue_depth"
        page.family(queue, .gauge, help: "Reads and writes that wait for the store.")
        page.sample(queue, ["queue": "reads"], statistics.waitingReads)
        page.sample(queue, ["queue": "writes"], statistics.waitingWrites)
        // A store that cannot be read has no sequence to tell; the rest of the page stands.
        if let sequence = try? await store.changeSequence() {
            page.single(
                "broadsheet_change_sequence", .gauge, help: "The number of the last change.",
                sequence)
        }
    }

    private func writeProcess(to page: inout MetricsText) {
        let process = ProcessStatistics()
        page.single(
            "process_cpu_seconds_total", .counter, unit: "seconds",
            help: "CPU time, user and system.", process.cpuSeconds)
        page.single(
            "process_start_time_seconds", .gauge, unit: "seconds",
            help: "When the process started, since 1970.",
            Double(startedAt.milliseconds) / 1_000)
        let gauges: [(name: String, unit: String?, help: String, value: Int?)] = [
            (
                "process_resident_memory_bytes", "bytes", "Memory that is in RAM.",
                process.residentBytes
            ),
            (
                "process_virtual_memory_bytes", "bytes", "Memory that is mapped.",
                process.virtualBytes
            ),
            ("process_open_fds", nil, "Descriptors that are open.", process.openDescriptors),
            ("process_max_fds", nil, "Descriptors that may be open.", process.descriptorLimit),
        ]
        for gauge in gauges {
            guard let value = gauge.value else { continue }
            page.single(gauge.name, .gauge, unit: gauge.unit, help: gauge.help, value)
        }
    }
}
