public import ArticleAPI
public import ArticleAdminAPI

/// Stores the sources of articles, the positions of their polls, and the entries imported from
/// them.
///
/// Sources are not part of the change sequence; the articles imported from them are. Each method is
/// one atomic step, and a write is durable when it returns. Safe to use from any thread.
///
/// ```swift
/// let source = try await store.createSource(draft, by: edit)
/// let item = SourceItem(
///     key: key, digest: digest, change: .put(id, content, keepsSlug: true))
/// let results = try await store.importItems(
///     [item], from: source.id, at: source.revision, round: 0, time: time)
/// ```
public protocol SourceRepository: Sendable {
    /// Adds a source with revision 1, to be polled at once unless it is paused.
    ///
    /// Throws `.idTaken`, `.conflict` if another source has its URL, or `.tooMany` if there are
    /// 1,000 sources.
    func createSource(
        _ source: ContentSource, by edit: Edit
    ) async throws(StoreError) -> ContentSource

    func source(_ id: ContentSource.ID) async throws(StoreError) -> ContentSource

    /// Sources in the order of their ids. `limit` is 1 to 100.
    func sources(
        after id: ContentSource.ID?, limit: Int
    ) async throws(StoreError) -> Slice<ContentSource, ContentSource.ID>

    /// Changes the settings of a source as a new revision; equal values create none. Throws
    /// `.invalid` for a required one that is cleared.
    ///
    /// The source is polled at once, and everything is compared again unless only its interval or
    /// its pause changed. Throws `.conflict` if another source has its URL.
    func updateSource(
        _ id: ContentSource.ID, _ changes: ContentSource.Changes,
        expecting expectation: Precondition, at time: Timestamp
    ) async throws(StoreError) -> ContentSource

    /// Removes a source. Its articles stay, and belong to no source from then on.
    func deleteSource(
        _ id: ContentSource.ID, expecting expectation: Precondition
    ) async throws(StoreError)

    // MARK: Polling

    /// Lets the source be polled at this time, if no poll is due before.
    func requestPoll(
        of id: ContentSource.ID, at time: Timestamp
    ) async throws(StoreError) -> ContentSource

    /// The sources that are due, in the order in which they became due.
    func dueSources(at time: Timestamp) async throws(StoreError) -> [DueSource]

    /// Returns the position of the polls of a source.
    func position(of id: ContentSource.ID) async throws(StoreError) -> SourcePosition

    /// The digests of the entries with these keys, in the same order, as they were last taken over;
    /// `nil` for new ones, and for those that were deleted.
    func digests(
        of keys: [[UInt8]], from id: ContentSource.ID
    ) async throws(StoreError) -> [[UInt8]?]

    /// Takes entries over in one durable step. Each succeeds or fails independently of the others.
    ///
    /// - Parameters:
    ///   - revision: that of the source, by which the entries were made. Throws
    ///     `.preconditionFailed` if it has another one.
    ///   - round: the snapshot that has the entries.
    func importItems(
        _ items: [SourceItem], from id: ContentSource.ID, at revision: Int, round: Int,
        time: Timestamp
    ) async throws(StoreError) -> [Result<SourceOutcome, StoreError>]

    /// Deletes articles that the snapshot of this round did not have, at most `limit` of them, and
    /// leaves alone those that were edited. Returns whether there may be more.
    func deleteMissing(
        from id: ContentSource.ID, at revision: Int, round: Int, limit: Int, time: Timestamp
    ) async throws(StoreError) -> (deleted: Int, hasMore: Bool)

    /// Stores the outcome of a poll. Throws `.preconditionFailed` if the source was changed in the
    /// meantime; then it is polled again.
    func recordPoll(_ poll: SourcePoll, of id: ContentSource.ID) async throws(StoreError)

    /// The numbers of sources.
    func sourceCounts(at time: Timestamp) async throws(StoreError) -> SourceCounts
}

/// A source that is due to be polled. See ``SourceRepository``.
public struct DueSource: Sendable, Hashable {
    public var id: ContentSource.ID
    /// The URL that is polled.
    public var url: String

    public init(id: ContentSource.ID, url: String) {
        self.id = id
        self.url = url
    }
}

/// The position of the polls of a source. See ``SourceRepository``.
public struct SourcePosition: Sendable, Hashable {
    /// Validators of the feed as it was last taken over.
    public var etag: String?
    public var lastModified: String?
    /// The token of the next page of a Broadsheet's changes; `nil` before the snapshot.
    public var token: String?
    /// The number of the last snapshot.
    public var round: Int
    /// True if this snapshot is not complete; of a feed, if all of its pages have to be read.
    public var isListing: Bool

    public init(
        etag: String? = nil, lastModified: String? = nil, token: String? = nil, round: Int = 0,
        isListing: Bool = false
    ) {
        self.etag = etag
        self.lastModified = lastModified
        self.token = token
        self.round = round
        self.isListing = isListing
    }
}

/// An entry of a source. See ``SourceRepository``.
public struct SourceItem: Sendable, Hashable {
    /// The SHA-256 of the entry's identifier within its source.
    public var key: [UInt8]
    /// The SHA-256 of its content and of the source's settings.
    public var digest: [UInt8]
    public var change: Change

    public enum Change: Sendable, Hashable {
        /// The entry as it is now, and the id for the article if it is new. With `keepsSlug`, an
        /// update keeps the slug, because it was derived from a title, which may change.
        case put(Article.ID, ArticleContent, keepsSlug: Bool)
        /// The entry is as it was; only the round is noted.
        case seen
        /// The entry has disappeared from the source.
        case delete
    }

    public init(key: [UInt8], digest: [UInt8], change: Change) {
        self.key = key
        self.digest = digest
        self.change = change
    }
}

/// The result of importing an entry. See ``SourceRepository``.
public enum SourceOutcome: String, Sendable, Hashable, CaseIterable {
    case created
    /// Also an article that had disappeared from the source, and is back.
    case updated
    case deleted
    case unchanged
    /// The article was edited or deleted here, so it is left as it is.
    case keptEdits
    /// The article got 24 revisions within a day, so this one has to wait.
    case deferred
}

/// The outcome of a poll. See ``SourceRepository``.
public struct SourcePoll: Sendable, Hashable {
    public var time: Timestamp
    /// The revision of the source that was polled.
    public var revision: Int
    public var nextPollAt: Timestamp
    public var result: Result

    public enum Result: Sendable, Hashable {
        /// The poll failed, for the reason given in a sentence of at most 1,000 characters without
        /// secrets. Articles imported before stay, as does the position.
        case failed(String)
        /// Nothing is new.
        case unchanged
        case taken(Taken)
    }

    /// The results of a poll besides articles.
    public struct Taken: Sendable, Hashable {
        public var kind: ContentSource.Kind
        /// The source's own title.
        public var title: String?
        /// The URL to which it has moved permanently.
        public var movedTo: String?
        public var position: SourcePosition
        public var skippedCount: Int
        public var skippedReason: String?

        public init(
            kind: ContentSource.Kind, title: String?, movedTo: String?, position: SourcePosition,
            skippedCount: Int, skippedReason: String?
        ) {
            self.kind = kind
            self.title = title
            self.movedTo = movedTo
            self.position = position
            self.skippedCount = skippedCount
            self.skippedReason = skippedReason
        }
    }

    public init(time: Timestamp, revision: Int, nextPollAt: Timestamp, result: Result) {
        self.time = time
        self.revision = revision
        self.nextPollAt = nextPollAt
        self.result = result
    }
}

/// The numbers of sources by state. See ``SourceRepository``.
public struct SourceCounts: Sendable, Hashable {
    /// Those that are not paused, and whose last poll did not fail.
    public var active: Int
    /// Those that are not paused, and whose last poll failed.
    public var failing: Int
    public var paused: Int
    /// The time since which the source that has waited longest is due; `nil` if none is.
    public var dueSince: Timestamp?

    public init(active: Int, failing: Int, paused: Int, dueSince: Timestamp?) {
        self.active = active
        self.failing = failing
        self.paused = paused
        self.dueSince = dueSince
    }
}

extension ContentSource {
    /// The name of the source in articles and histories: the chosen name, the source's own title,
    /// or its host.
    package var shownName: String { name ?? title ?? host }

    private var host: String {
        let rest = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
        return rest.count > 1 ? String(rest[1].prefix(ArticleLimits.sourceName.upperBound)) : url
    }
}
