/// Maintenance of a store while it is in use: checking and copying it.
///
/// Stores that are backed by a file conform to it. Other users of the store are not blocked. Safe
/// to use from any thread.
///
/// ```swift
/// let report = try await store.check()
/// let findings = report.isClean ? "none" : report.findings.joined(separator: "\n")
/// ```
public protocol StoreMaintenance: Sendable {
    /// The path of the store's file, next to which other files can be created.
    var path: String { get }

    /// Begins another history: everything has another version, and all clients that follow the
    /// changes begin again.
    func beginHistory() async throws(StoreError)

    /// Checks a snapshot of the store.
    ///
    /// - Throws: `.unavailable` if the store is closed; corruption is reported.
    func check() async throws(StoreError) -> CheckReport

    /// Returns the space of removed data to the file system, in short steps between which others
    /// write; this takes one step. A file that was never vacuumed is rewritten as a whole in one
    /// step, as by `rewrite`.
    ///
    ///     var progress = VacuumProgress()
    ///     while !progress.isComplete { progress = try await store.vacuum(progress) }
    func vacuum(_ progress: VacuumProgress) async throws(StoreError) -> VacuumProgress

    /// Opens the empty file at the path for a copy of the store. Once it is open, it may be
    /// unlinked.
    ///
    ///     let copy = try store.copy(into: path)
    ///     try await copy.make { progress in print(progress.pages, progress.total) }
    func copy(into path: String) throws(StoreError) -> any StoreCopy

    /// Rewrites the store's files, so that they contain no removed data, and empties the log.
    /// Writes wait for as long as it takes to copy the file, and there must be room for another
    /// one; those who share a database on a server cannot read its tables meanwhile.
    ///
    /// - Throws: `.unavailable` if the old files are in use for too long; the text says by whom.
    func rewrite() async throws(StoreError)
}

/// A single-use copy of a store.
///
/// Once `make` has returned, the copy is complete and consistent. Safe to use from any thread.
///
/// ```swift
/// let copy = try store.copy(into: path)
/// try await copy.make { progress in steps.withLock { $0.append(progress.pages) } }
/// ```
public protocol StoreCopy: Sendable {
    /// Copies the store as of the end of the copy. Writers are only blocked for a few pages at a
    /// time.
    ///
    /// - Parameter progress: called after each step, on the store's thread.
    /// - Throws: `.full` if the disk is full.
    func make(
        progress: @escaping @Sendable (CopyProgress) -> Void
    ) async throws(StoreError)
}

/// The progress of copying a database. See ``StoreCopy``.
public struct CopyProgress: Sendable, Hashable {
    /// Number of copied pages; a page has 4,096 bytes.
    public var pages: Int
    public var total: Int

    public init(pages: Int, total: Int) {
        self.pages = pages
        self.total = total
    }
}

/// The progress of giving space back. See ``StoreMaintenance``.
public struct VacuumProgress: Sendable, Hashable {
    /// Number of pages of a file, or of tables of a server.
    public var done = 0
    public var total = 1

    public init() {}

    public init(done: Int, total: Int) {
        self.done = done
        self.total = total
    }

    public var isComplete: Bool { done >= total }
}

/// The result of checking a database file. See ``StoreMaintenance``.
public struct CheckReport: Sendable, Hashable {
    /// The number of articles, including deleted ones.
    public var articles: Int
    public var revisions: Int
    public var changes: Int
    /// The findings, one line each; at most 20 of a kind.
    public var findings: [String]

    public init(articles: Int, revisions: Int, changes: Int, findings: [String]) {
        self.articles = articles
        self.revisions = revisions
        self.changes = changes
        self.findings = findings
    }

    public var isClean: Bool { findings.isEmpty }

    /// The beginning of findings that only concern the index of the search, which can be built
    /// again.
    public static let searchPrefix = "the search index: "

    /// Those findings.
    public var searchFindings: [String] { findings.filter { $0.hasPrefix(Self.searchPrefix) } }
}
