import ArticleAPI
public import ArticleStore
import BroadsheetPlatform
import Glibc

/// Writes the contents of a store as JSON lines, which `Importer` restores: articles with all their
/// revisions, tombstones, former slugs and import marks; authors; and users with their identities,
/// comments and bookmarks.
///
/// API keys, passwords, sessions and the server's secrets are not included: after a restoration,
/// new keys are created, and users without an identity need new passwords. Only the public ids and
/// names of keys that made revisions are. All lines come from one snapshot, and the same store
/// always yields the same bytes; see `ExportLine` for the format.
public struct Exporter: Sendable {
    let store: any ArticleStore

    public init(store: any ArticleStore) { self.store = store }

    /// Writes to an open descriptor with blocking calls (`write(2)`) on a thread of the store.
    ///
    /// The descriptor is neither flushed to disk nor closed. If the other end is closed, `.output`
    /// is thrown, provided that the process ignores `SIGPIPE`.
    ///
    /// - Parameter progress: called every 64 KiB.
    public func write(
        to descriptor: Int32,
        progress: @escaping @Sendable (ExportProgress) -> Void = { _ in }
    ) async throws(InterchangeError) -> ExportReport {
        do throws(StoreError) {
            let total = try await store.articleCount()
            let output = Lock(ExportOutput())
            @Sendable func write(_ full: [UInt8]?) throws(SystemError) {
                guard let full else { return }
                try FileSystem.write(full, to: descriptor)
                let articles = output.withLock { $0.counts.articles }
                progress(ExportProgress(articles: articles, total: max(total, articles)))
            }
            try await store.export { record in
                try write(output.withLock { $0.add(record) })
            }
            let (rest, report) = output.withLock { ($0.end(), $0.report) }
            do throws(SystemError) { try write(rest) } catch { throw .rejected(error) }
            return report
        } catch {
            if case .rejected(let cause as SystemError) = error { throw .output(cause) }
            throw .store(error)
        }
    }
}

/// The numbers of records and bytes that an export wrote.
public struct ExportReport: Sendable, Hashable {
    private let counts: ExportCounts
    public let bytes: Int

    /// An upper bound for the length of the last line of an export.
    public static let lastLineBytes = 256

    init(_ counts: ExportCounts, bytes: Int) {
        self.counts = counts
        self.bytes = bytes
    }

    public var users: Int { counts.users }
    public var authors: Int { counts.authors }
    /// Includes tombstones.
    public var articles: Int { counts.articles }
    public var revisions: Int { counts.revisions }
    /// Includes deleted ones.
    public var comments: Int { counts.comments }
    public var bookmarks: Int { counts.bookmarks }

    /// The counts in the last line of an export; `nil` if the export is truncated.
    public init?(end: [UInt8], bytes: Int) {
        guard let line = end.split(separator: UInt8(ascii: "\n")).last,
            let value = try? JSONParser.parse(Array(line)),
            case .end(let counts)? = try? ExportLine(value)
        else { return nil }
        self.init(counts, bytes: bytes)
    }
}

/// The progress of an export.
public struct ExportProgress: Sendable, Hashable {
    public var articles: Int
    /// An estimate: tombstones are only counted as they are found.
    public var total: Int
}

/// Lines that are buffered before they are written.
private struct ExportOutput {
    private(set) var counts = ExportCounts()
    private var waiting: [UInt8] = ExportHeader.bytes
    private var bytes = ExportHeader.bytes.count

    private static let chunkBytes = 64 * 1024

    var report: ExportReport {
        ExportReport(counts, bytes: bytes)
    }

    /// Adds a line; returns the buffered bytes once there are enough to write.
    mutating func add(_ record: ExportRecord) -> [UInt8]? {
        counts.count(record)
        append(.record(record))
        return waiting.count >= Self.chunkBytes ? take() : nil
    }

    /// Adds the last line and returns the remaining bytes.
    package mutating func end() -> [UInt8] {
        append(.end(counts))
        return take()
    }

    private mutating func append(_ line: ExportLine) {
        let line = line.bytes
        bytes += line.count
        waiting.append(contentsOf: line)
    }

    private mutating func take() -> [UInt8] {
        defer { waiting = [] }
        return waiting
    }
}
