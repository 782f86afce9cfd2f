import ArticleAPI
import ArticleStore

/// How a page is queried: the states and the facet to iterate over, the range of publication times,
/// and the other facets for which each row is tested.
struct ListingPlan {
    /// The facet to iterate over: the one with the fewest articles.
    var driver = everyArticle
    /// The facets to which a row must also belong.
    var probes: [Int64] = []
    /// The states to iterate over, each with its range of publication times (both ends included).
    var states: [(state: StoredState, publications: ClosedRange<Int64>)] = []

    /// `nil` if nothing can match.
    init?(_ query: ArticleQuery, in snapshot: Snapshot) throws(StoreError) {
        states = Self.states(of: query)
        guard !states.isEmpty else { return nil }
        let onlyPublished = states.allSatisfy { $0.state == .published }

        var facets: [(number: Int64, articles: Int64)] = []
        for (kind, key) in Self.facets(of: query) {
            guard let found = try snapshot.facet(kind, key: key) else { return nil }
            let articles = onlyPublished ? found.published : found.live
            guard articles > 0 else { return nil }
            facets.append((found.number, articles))
        }
        if query.sort.isByPublication, let rarest = facets.min(by: { $0.articles < $1.articles }) {
            driver = rarest.number
            facets.removeAll { $0.number == rarest.number }
        }
        probes = facets.map(\.number)
    }

    private static func facets(of query: ArticleQuery) -> [(FacetKind, FacetKey)] {
        var facets = query.tags.map { (FacetKind.tag, FacetKey.text($0)) }
        if let author = query.author { facets.append((.author, .id(author))) }
        if let language = query.language { facets.append((.language, .text(language))) }
        if let source = query.source { facets.append((.source, .text(source))) }
        return facets
    }

    private static func states(
        of query: ArticleQuery
    ) -> [(state: StoredState, publications: ClosedRange<Int64>)] {
        var low = Int64.min
        var high = Int64.max
        if let after = query.publishedAfter { low = after.milliseconds + 1 }
        if let before = query.publishedBefore { high = before.milliseconds - 1 }
        let now = query.now.milliseconds
        let wanted: [StoredState]
        switch query.status {
        case nil: wanted = [.draft, .published, .archived]
        case .draft: wanted = [.draft]
        case .archived: wanted = [.archived]
        case .published:
            wanted = [.published]
            high = min(high, now)
        case .scheduled:
            wanted = [.published]
            low = max(low, now + 1)
        case .unknown: wanted = []
        }
        var states = wanted
        if case .everyone(let moment) = query.audience {
            states = wanted.filter { $0 == .published }
            high = min(high, moment.milliseconds)
        }
        guard low <= high else { return [] }
        return states.map { ($0, low...high) }
    }
}

/// The key of a facet.
enum FacetKey {
    case text(String)
    case id(Author.ID)
}

extension Snapshot {
    func facet(
        _ kind: FacetKind, key: FacetKey
    ) throws(StoreError) -> (number: Int64, live: Int64, published: Int64)? {
        let row = try connection.statement(SQL.facet)
        try row.bind(1, kind.rawValue)
        switch key {
        case .text(let text): try row.bind(2, text)
        case .id(let id): try row.bind(2, id)
        }
        guard try row.step() else { return nil }
        return (row.integer(0), row.integer(1), row.integer(2))
    }
}
