import ArticleAPI
import ArticleAdminAPI
import ArticleImportExport
import ArticleServiceCore
import ArticleStore
import BroadsheetPlatform

/// Takes the entries of one poll over into the store, some at a time, so that other writes come in
/// between.
struct EntryImport: Sendable {
    let store: any ArticleStore
    let markdown: MarkdownRenderer
    package let defaultLanguage: String
    /// The threads that make articles of entries.
    let pool: BlockingPool
    package let source: ContentSource
    /// The snapshot that the entries belong to; `nil` for a feed, which may forget its entries.
    let round: Int?
    let deadline: Duration
    package let system: SystemEnvironment

    /// The reason why not everything was imported, which may work later.
    private(set) var obstacle: String?
    private(set) var counts = PollCounts()
    /// The reason why an entry was not imported; otherwise the note about an omitted part of one.
    var skippedReason: String? { firstReason ?? firstNote }
    private var firstReason: String?
    private var firstNote: String?

    private static let itemsPerBatch = 20

    init(
        store: any ArticleStore, markdown: MarkdownRenderer, defaultLanguage: String,
        pool: BlockingPool, source: ContentSource, round: Int?, deadline: Duration,
        system: SystemEnvironment
    ) {
        self.store = store
        self.markdown = markdown
        self.defaultLanguage = defaultLanguage
        self.pool = pool
        self.source = source
        self.round = round
        self.deadline = deadline
        self.system = system
    }

    /// True to stop, since something failed, the time is up, or the task was cancelled.
    private var mustEnd: Bool {
        mutating get {
            if system.uptime > deadline {
                hold("there was not enough time to import all articles")
            }
            return obstacle != nil || Task.isCancelled
        }
    }

    private mutating func hold(_ reason: String) { obstacle = obstacle ?? reason }

    /// Imports the entries that differ from those of earlier imports.
    package mutating func take(_ drafts: [SourceDraft]) async throws(StoreError) {
        // Invariant: the entries before `start` were taken over.
        for start in stride(from: 0, to: drafts.count, by: Self.itemsPerBatch) {
            if mustEnd { return }
            let batch = drafts[start..<min(start + Self.itemsPerBatch, drafts.count)]
            let known = try await store.digests(of: batch.map(\.key), from: source.id)
            var items: [SourceItem] = []
            for (draft, digest) in zip(batch, known) {
                if let note = draft.note { firstNote = firstNote ?? Self.line(note) }
                if digest == draft.digest {
                    counts[.unchanged] += 1
                    items.append(draft.seen)
                } else {
                    items.append(await item(draft))
                }
                if mustEnd { break }
            }
            try await take(items)
        }
    }

    /// Deletes the articles of entries that disappeared, unless they were edited.
    package mutating func delete(_ keys: [[UInt8]]) async throws(StoreError) {
        for start in stride(from: 0, to: keys.count, by: Self.itemsPerBatch) {
            if mustEnd { return }
            let batch = keys[start..<min(start + Self.itemsPerBatch, keys.count)]
            try await take(batch.map { SourceItem(key: $0, digest: [], change: .delete) })
        }
    }

    /// Deletes articles that the snapshot did not have, at its end.
    mutating func deleteMissing() async throws(StoreError) {
        guard let round else { return }
        var hasMore = true
        while hasMore, !mustEnd {
            let step = try await store.deleteMissing(
                from: source.id, at: source.revision, round: round, limit: Self.itemsPerBatch,
                time: system.now)
            counts[.deleted] += step.deleted
            hasMore = step.hasMore
        }
    }

    mutating func skip(_ count: Int, _ reason: String) {
        guard count > 0 else { return }
        counts.skipped += count
        note(reason)
    }

    /// Something that was not taken over; only the first reason is kept.
    mutating func note(_ reason: String) { firstReason = firstReason ?? Self.line(reason) }

    private static func line(_ text: String) -> String {
        String(text.onOneLine.unicodeScalars.prefix(500))
    }

    /// The entry as it is to be stored. One that cannot be taken over is only seen.
    private mutating func item(_ draft: SourceDraft) async -> SourceItem {
        do throws(SourceDraft.SkipReason) {
            guard let made = try? await pool.read(until: deadline, in: system, { draft.content() })
            else {
                hold("too many feeds are being read")
                return draft.seen
            }
            // An incomplete reading is no reason to skip the entry.
            if mustEnd { return draft.seen }
            guard let content = try await content(of: made.get()) else { return draft.seen }
            return SourceItem(
                key: draft.key, digest: draft.digest,
                change: .put(
                    draft.id ?? system.newID(at: system.now), content, keepsSlug: draft.keepsSlug))
        } catch {
            skip(1, error.reason)
            return draft.seen
        }
    }

    /// The content with its body as HTML, rendered before the write is queued; `nil` if there is an
    /// obstacle.
    private mutating func content(
        of draft: Article.Draft
    ) async throws(SourceDraft.SkipReason) -> ArticleContent? {
        do {
            let rendered = try await markdown.render(draft.body, for: UInt64.max)
            var content = try ArticleContent(
                of: draft, in: rendered, defaultLanguage: source.language ?? defaultLanguage)
            // Another article may have the slug here.
            if case .exactly(let slug) = content.slug { content.slug = .like(slug) }
            return content
        } catch {
            guard case .invalid(let details) = ServiceError(error) else {
                hold("the server is too busy to render all bodies")
                return nil
            }
            let reason = details.first?.detail ?? "it is invalid"
            throw SourceDraft.SkipReason(reason: "\"\(draft.title)\": the body \(reason)")
        }
    }

    private static func phrase(_ error: StoreError) -> String {
        if case .idTaken = error {
            "this article is or was here already, from elsewhere"
        } else {
            error.sentence
        }
    }

    private mutating func take(_ items: [SourceItem]) async throws(StoreError) {
        // Entries that a feed no longer has are not missed, so those that it still has need not be
        // noted.
        var items = round == nil ? items.filter { $0.change != .seen } : items
        // Entries that cannot be taken over are still there: they are noted by a second step.
        while !items.isEmpty {
            let results = try await store.importItems(
                items, from: source.id, at: source.revision, round: round ?? 0, time: system.now)
            var failed: [SourceItem] = []
            for (item, result) in zip(items, results) {
                switch result {
                case .success(let outcome): if item.change != .seen { counts[outcome] += 1 }
                case .failure(let error):
                    skip(1, "\"\(item.title)\": \(Self.phrase(error))")
                    failed.append(SourceItem(key: item.key, digest: [], change: .seen))
                }
            }
            items = round == nil || items.allSatisfy { $0.change == .seen } ? [] : failed
        }
    }
}

extension SourceItem {
    /// The title of the article.
    fileprivate var title: String {
        if case .put(_, let content, _) = change { content.draft.title } else { "" }
    }
}

extension SourceDraft {
    /// The entry as one that is still there.
    fileprivate var seen: SourceItem { SourceItem(key: key, digest: digest, change: .seen) }
}

/// The numbers of entries by outcome.
struct PollCounts: Sendable, Hashable {
    private var counts: [SourceOutcome: Int] = [:]
    var skipped = 0

    subscript(outcome: SourceOutcome) -> Int {
        get { counts[outcome] ?? 0 }
        set { counts[outcome] = newValue }
    }

    /// True if articles were changed.
    var hasChanges: Bool { self[.created] + self[.updated] + self[.deleted] > 0 }

    mutating func add(_ other: PollCounts) {
        counts.merge(other.counts, uniquingKeysWith: +)
        skipped += other.skipped
    }
}
