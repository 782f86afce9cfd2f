import ArticleStore

/// Restores the records of one export to the store.
struct RecordRestorer {
    private enum State {
        /// All records so far already exist, which accounts for this many changes in the store.
        case comparing(changes: Int)
        /// The store contains the records so far and nothing else.
        case writing
        case failed
    }

    private let importer: Importer
    private let path: String
    private var state = State.comparing(changes: 0)
    private var batch: [ExportRecord] = []
    private var lines: [Int] = []
    private var batchBytes = 0

    init(_ importer: Importer, path: String) {
        self.importer = importer
        self.path = path
    }

    var isGoingOn: Bool {
        if case .failed = state { false } else { true }
    }

    /// True if no records are buffered.
    var isBatchTaken: Bool { batch.isEmpty }

    package mutating func take(
        _ record: ExportRecord, _ line: LineReader.Line, _ report: inout ImportReport
    ) async throws(InterchangeError) {
        batch.append(record)
        lines.append(line.number)
        batchBytes += line.bytes?.count ?? 0
        if batch.count >= ImportRun.restoreRecords || batchBytes >= ImportRun.batchBytes {
            try await flush(&report)
        }
    }

    /// Sends buffered records to the store.
    mutating func flush(_ report: inout ImportReport) async throws(InterchangeError) {
        defer {
            batch.removeAll(keepingCapacity: true)
            lines.removeAll(keepingCapacity: true)
            batchBytes = 0
        }
        guard !batch.isEmpty, isGoingOn else { return }
        var counts = ExportCounts()
        for record in batch { counts.count(record) }
        do throws(StoreError) {
            if case .comparing(let changes) = state {
                let found = try await importer.store.restore(batch, dryRun: true)
                if found.added == 0 {
                    report.unchanged += counts.articles
                    report.addPeople(counts)
                    state = .comparing(changes: changes + found.changes)
                    return
                }
                guard try await importer.store.changeSequence() == changes else {
                    return fail(
                        "the database is not empty; an export can only be restored to an empty "
                            + "database",
                        line: lines[0], &report)
                }
                state = .writing
            }
            // After a dry run, the store lacks the records that these would follow.
            if !importer.isDryRun {
                _ = try await importer.store.restore(batch, dryRun: false)
            }
            report.created += counts.articles
            report.addPeople(counts)
        } catch {
            switch error {
            case .full, .unavailable, .corrupt, .busy, .delayed: throw .store(error)
            default: try await fail(of: error, &report)
            }
        }
    }

    /// Finds the first record that the store rejects, by bisection.
    private mutating func fail(
        of error: StoreError, _ report: inout ImportReport
    ) async throws(InterchangeError) {
        var fitting = 0
        var failing = batch.count
        // Invariant: the first `fitting` records are accepted, the first `failing` are not.
        while failing - fitting > 1 {
            let middle = (fitting + failing) / 2
            do {
                _ = try await importer.store.restore(Array(batch[..<middle]), dryRun: true)
                fitting = middle
            } catch { failing = middle }
        }
        fail(
            "\(error.sentence); nothing from line \(lines[0]) on was restored",
            line: lines[failing - 1], &report)
    }

    private mutating func fail(_ reason: String, line: Int, _ report: inout ImportReport) {
        report.fail(path, line: line, reason)
        state = .failed
    }
}
