import ArticleAPI
import ArticleAdminAPI
import ArticleStore

/// Reads the records of an export with the lines that belong to each of them.
struct ExportRecordReader {
    typealias Entry = (record: ExportRecord, line: LineReader.Line)

    private let version: Int
    private let now: Timestamp
    private var held: Entry?

    init(version: Int, now: Timestamp) {
        self.version = version
        self.now = now
    }

    /// Takes the next record, or `nil` at the end, and returns the one before it.
    mutating func next(_ entry: Entry?) -> Entry? {
        defer { held = entry }
        guard var previous = held else { return nil }
        if version < 3, case .revision(var revision) = previous.record {
            var following: ExportedRevision?
            if case .revision(let next)? = entry?.record { following = next }
            if wasScheduled(revision, before: following) { revision.article.status = .scheduled }
            previous.record = .revision(revision)
        }
        return previous
    }

    private func wasScheduled(
        _ revision: ExportedRevision, before next: ExportedRevision?
    ) -> Bool {
        guard revision.article.status == .published, let time = revision.article.publishedAt,
            time > revision.time
        else { return false }
        guard let next else {
            // The article is as its last revision says.
            return revision.action == .deleted || time > now
        }
        // Readers know the slug under which it became public.
        return time > next.time || revision.article.slug == next.article.slug
    }
}
