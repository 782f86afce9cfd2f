public import ArticleAPI

/// A feed or another Broadsheet whose articles the backend takes over.
///
/// Only admins see sources, whose URLs may contain secrets. The attributes from `kind` on are set
/// by the backend.
///
/// ```swift
/// let source = try await backend.send(
///     CreateSourceRequest(ContentSource.Draft(url: "https://example.org/feed.atom")))
/// let isWaiting = source.lastPolledAt == nil
/// ```
public struct ContentSource: Sendable, Hashable, Identifiable {
    public typealias ID = Identifier<ContentSource>

    public var id: ID
    /// The address of an RSS, Atom or JSON feed, or of a Broadsheet.
    public var url: String
    /// The name of the source in its articles here; `nil` for the source's own title.
    public var name: String?
    /// True if articles are published; otherwise, they become drafts.
    public var publishes: Bool
    /// The language of articles that do not say theirs (BCP 47); `nil` for the backend's.
    public var language: String?
    /// Tags that articles get in addition to their own.
    public var tags: [String]
    /// A paused source is not polled.
    public var isPaused: Bool
    /// The time between two polls, 60 to 604,800; `nil` for the backend's.
    public var intervalSeconds: Int?
    /// `nil` before the first successful poll.
    public var kind: Kind?
    /// The source's own title.
    public var title: String?
    /// The URL to which the source has moved permanently, which is polled instead of `url`.
    public var movedTo: String?
    public var lastPolledAt: Timestamp?
    public var lastSucceededAt: Timestamp?
    /// `nil` while it is paused.
    public var nextPollAt: Timestamp?
    /// The number of polls that have failed since the last successful one.
    public var failures: Int
    /// The reason why the last poll failed; `nil` if it did not.
    public var lastError: String?
    /// The number of articles that were taken over.
    public var articleCount: Int
    /// The number of entries that the last successful poll with new content could not take over.
    public var skippedCount: Int
    /// The reason why the first entry was skipped. If none was skipped, the first part of an entry
    /// that was left out or cut.
    public var skippedReason: String?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// 1 for a new source; incremented by each change of its settings.
    public var revision: Int
    /// Identifies this revision, for `If-Match`; `nil` in a source that was not served by a
    /// backend.
    public var version: String?

    public init(
        id: ID, url: String, name: String? = nil, publishes: Bool = false,
        language: String? = nil, tags: [String] = [], isPaused: Bool = false,
        intervalSeconds: Int? = nil, kind: Kind? = nil, title: String? = nil,
        movedTo: String? = nil, lastPolledAt: Timestamp? = nil,
        lastSucceededAt: Timestamp? = nil, nextPollAt: Timestamp? = nil, failures: Int = 0,
        lastError: String? = nil, articleCount: Int = 0, skippedCount: Int = 0,
        skippedReason: String? = nil, createdAt: Timestamp, updatedAt: Timestamp,
        revision: Int = 1, version: String? = nil
    ) {
        self.id = id
        self.url = url
        self.name = name
        self.publishes = publishes
        self.language = language
        self.tags = tags
        self.isPaused = isPaused
        self.intervalSeconds = intervalSeconds
        self.kind = kind
        self.title = title
        self.movedTo = movedTo
        self.lastPolledAt = lastPolledAt
        self.lastSucceededAt = lastSucceededAt
        self.nextPollAt = nextPollAt
        self.failures = failures
        self.lastError = lastError
        self.articleCount = articleCount
        self.skippedCount = skippedCount
        self.skippedReason = skippedReason
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.revision = revision
        self.version = version
    }

    /// The kind of a source.
    public enum Kind: Sendable, Hashable {
        /// An RSS, Atom or JSON feed.
        case feed
        /// Another Broadsheet, of which the changes are followed.
        case broadsheet
        /// A value of a newer server that this version does not know.
        case unknown(String)
    }

    /// A new source; the backend sets everything else.
    public struct Draft: Sendable, Hashable {
        /// A UUIDv7 chosen by the client.
        public var id: ID?
        public var url: String
        public var name: String?
        public var publishes: Bool
        public var language: String?
        public var tags: [String]
        public var isPaused: Bool
        public var intervalSeconds: Int?

        public init(
            id: ID? = nil, url: String, name: String? = nil, publishes: Bool = false,
            language: String? = nil, tags: [String] = [], isPaused: Bool = false,
            intervalSeconds: Int? = nil
        ) {
            self.id = id
            self.url = url
            self.name = name
            self.publishes = publishes
            self.language = language
            self.tags = tags
            self.isPaused = isPaused
            self.intervalSeconds = intervalSeconds
        }
    }

    /// A merge patch (RFC 7396): only the attributes to change.
    public struct Changes: Sendable, Hashable {
        public var url: Change<String>
        public var name: Change<String>
        public var publishes: Change<Bool>
        public var language: Change<String>
        public var tags: Change<[String]>
        public var isPaused: Change<Bool>
        public var intervalSeconds: Change<Int>

        public init(
            url: Change<String> = .keep, name: Change<String> = .keep,
            publishes: Change<Bool> = .keep, language: Change<String> = .keep,
            tags: Change<[String]> = .keep, isPaused: Change<Bool> = .keep,
            intervalSeconds: Change<Int> = .keep
        ) {
            self.url = url
            self.name = name
            self.publishes = publishes
            self.language = language
            self.tags = tags
            self.isPaused = isPaused
            self.intervalSeconds = intervalSeconds
        }
    }

    /// Seconds between two polls.
    public static let intervals = 60...604_800
    /// The most tags that are added to articles.
    public static let limitTags = 10
}

extension ContentSource: JSONModel {
    public static let shape = ObjectCodec(
        named: "Source", Self.init,
        .required("id", \.id, .identifier()),
        .required("url", \.url, .text(.webAddress)),
        .optional("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .required("publish", \.publishes, .boolean),
        .optional("language", \.language, .text(.language)),
        .required("tags", \.tags, .sourceTags),
        .required("paused", \.isPaused, .boolean),
        .optional("intervalSeconds", \.intervalSeconds, .integer(intervals)),
        .optional("kind", \.kind, .text(.sourceKind)),
        .optional("title", \.title, .text(.line(ArticleLimits.sourceName))),
        .optional("movedTo", \.movedTo, .text(.webAddress)),
        .optional("lastPolledAt", \.lastPolledAt, .timestamp),
        .optional("lastSucceededAt", \.lastSucceededAt, .timestamp),
        .optional("nextPollAt", \.nextPollAt, .timestamp),
        .required("failures", \.failures, .integer(0...Int.max)),
        .optional("lastError", \.lastError, .text(.line(1...1_000))),
        .required("articleCount", \.articleCount, .integer(0...Int.max)),
        .required("skippedCount", \.skippedCount, .integer(0...Int.max)),
        .optional("skippedReason", \.skippedReason, .text(.line(1...1_000))),
        .required("createdAt", \.createdAt, .timestamp),
        .required("updatedAt", \.updatedAt, .timestamp),
        .required("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)))
}

extension ContentSource.Draft: JSONModel {
    public static let shape = ObjectCodec(
        named: "SourceDraft", Self.init,
        .optional("id", \.id, .identifier()),
        .required("url", \.url, .text(.webAddress)),
        .optional("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .defaulted("publish", to: false, \.publishes, .boolean),
        .optional("language", \.language, .text(.language)),
        .defaulted("tags", to: [], \.tags, .sourceTags),
        .defaulted("paused", to: false, \.isPaused, .boolean),
        .optional("intervalSeconds", \.intervalSeconds, .integer(ContentSource.intervals)))
}

extension ContentSource.Changes: JSONModel {
    public static let shape = ObjectCodec(
        named: "SourceChanges", Self.init,
        .change("url", \.url, .text(.webAddress)),
        .change("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .change("publish", \.publishes, .boolean),
        .change("language", \.language, .text(.language)),
        .change("tags", \.tags, .sourceTags),
        .change("paused", \.isPaused, .boolean),
        .change("intervalSeconds", \.intervalSeconds, .integer(ContentSource.intervals)))
}

extension ContentSource {
    /// This source with a merge patch applied.
    ///
    /// - Throws: `InvalidValue` with a fault for each attribute that cannot be cleared.
    package func applying(_ changes: Changes) throws(InvalidValue) -> ContentSource {
        var source = self
        var faults: [JSONFault] = []
        source.url = changes.url.applied(to: url, in: ["url"], &faults) ?? url
        source.name = changes.name.applied(to: name, cleared: nil)
        source.publishes = changes.publishes.applied(to: publishes, cleared: false)
        source.language = changes.language.applied(to: language, cleared: nil)
        source.tags = changes.tags.applied(to: tags, cleared: [])
        source.isPaused = changes.isPaused.applied(to: isPaused, cleared: false)
        source.intervalSeconds = changes.intervalSeconds.applied(
            to: intervalSeconds, cleared: nil)
        guard faults.isEmpty else { throw InvalidValue(faults: faults) }
        return source
    }
}

extension ContentSource.Kind {
    static let known: [ContentSource.Kind] = [.feed, .broadsheet]

    package init(name: String) {
        self = Self.known.first { $0.name == name } ?? .unknown(name)
    }

    /// The name on the wire.
    package var name: String {
        switch self {
        case .feed: "feed"
        case .broadsheet: "broadsheet"
        case .unknown(let name): name
        }
    }
}

extension TextCodec where Value == ContentSource.Kind {
    /// The kind of a source; backends reject an unknown one.
    public static var sourceKind: TextCodec {
        let names = ContentSource.Kind.known.map(\.name)
        return TextCodec(
            "one of \(names.joined(separator: ", "))", .named("SourceKind", .choice(names)),
            parse: { ContentSource.Kind(name: $0) }, print: \.name,
            fault: { kind in
                guard case .unknown = kind else { return nil }
                return "must be one of \(names.joined(separator: ", "))"
            })
    }
}

extension ContentSource.Kind: Codable {
    /// Decodes the wire name of the kind.
    public init(from decoder: any Decoder) throws {
        self = try TextCodec.sourceKind.decode(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try TextCodec.sourceKind.encode(self, to: encoder)
    }
}

extension JSONCodec where Value == [String] {
    /// Tags that the articles of a source get.
    static var sourceTags: JSONCodec { .array(of: .tagName, limit: ContentSource.limitTags) }
}
