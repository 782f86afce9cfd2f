import ArticleAPI
import ArticleStore

/// The plan of a page's query: the states and the facet or owner to iterate over, the range of
/// publication times, and the other facets for which each row is tested.
struct ListingPlan {
    /// The rows to iterate over.
    enum ScannedRows {
        /// The facet with the fewest articles.
        case facet(Int64)
        /// The articles of an owner: however few of them match, nothing else is examined.
        case owner(UserRecord.ID)
    }

    private(set) var driver = ScannedRows.facet(everyArticle)
    /// The facets to which a row must also belong.
    private(set) var probes: [Int64] = []
    /// The states to iterate over.
    let states: [StoredState]
    /// The range of publication times, both ends included.
    let publications: ClosedRange<Int64>

    /// Returns the plans that together find each match once: an author sees public articles, and
    /// other ones as their owner.
    static func plans(
        for query: ArticleQuery, in snapshot: Snapshot
    ) throws(StoreError) -> [ListingPlan] {
        let wanted = states(of: query.filter)
        let isPublic = { $0 == StoredState.published }
        var plans: [ListingPlan?] = []
        switch query.audience {
        case .editors: plans = [try ListingPlan(query, wanted, in: snapshot)]
        case .everyone: plans = [try ListingPlan(query, wanted.filter(isPublic), in: snapshot)]
        case .author(let id):
            let hidden = wanted.filter { !isPublic($0) }
            plans = [
                try ListingPlan(query, wanted.filter(isPublic), in: snapshot),
                try ListingPlan(query, hidden, of: id, in: snapshot),
            ]
        }
        return plans.compactMap { $0 }
    }

    /// `nil` if nothing can match.
    private init?(
        _ query: ArticleQuery, _ states: [StoredState], of owner: UserRecord.ID? = nil,
        in snapshot: Snapshot
    ) throws(StoreError) {
        let low = query.filter.publishedAfter.map { $0.milliseconds + 1 } ?? .min
        let high = query.filter.publishedBefore.map { $0.milliseconds - 1 } ?? .max
        guard !states.isEmpty, low <= high else { return nil }
        self.states = states
        publications = low...high
        let onlyPublished = states == [.published]

        var facets: [(number: Int64, articles: Int64)] = []
        for (kind, key) in Self.facets(of: query) {
            guard let found = try snapshot.facet(kind, key: key) else { return nil }
            let articles = onlyPublished ? found.published : found.live
            guard articles > 0 else { return nil }
            facets.append((found.number, articles))
        }
        if let owner {
            driver = .owner(owner)
        } else if query.sort.isByPublication,
            let rarest = facets.min(by: { $0.articles < $1.articles })
        {
            driver = .facet(rarest.number)
            facets.removeAll { $0.number == rarest.number }
        }
        probes = facets.map(\.number)
    }

    private static func facets(of query: ArticleQuery) -> [(FacetKind, FacetKey)] {
        var facets = query.filter.tags.map { (FacetKind.tag, FacetKey.text($0)) }
        if let author = query.filter.author { facets.append((.author, .id(author))) }
        if let language = query.filter.language { facets.append((.language, .text(language))) }
        if let source = query.filter.source { facets.append((.source, .text(source))) }
        return facets
    }

    private static func states(of filter: ArticleFilter) -> [StoredState] {
        switch filter.status {
        case nil: [.draft, .scheduled, .published, .archived]
        case .draft: [.draft]
        case .scheduled: [.scheduled]
        case .published: [.published]
        case .archived: [.archived]
        case .unknown: []
        }
    }
}

extension SQL {
    // Each order returns sort key, id, number, publication; ?1 is the facet or the owner, ?2 the
    // state.

    static let byPublication: StaticString = """
        SELECT publication, id, article, publication FROM listings
        WHERE facet = ?1 AND state = ?2
            AND (publication, id) >= (?3, ?4) AND (publication, id) < (?5, ?6)
        ORDER BY publication, id
        """
    static let byPublicationDescending: StaticString = """
        SELECT publication, id, article, publication FROM listings
        WHERE facet = ?1 AND state = ?2
            AND (publication, id) >= (?3, ?4) AND (publication, id) < (?5, ?6)
        ORDER BY publication DESC, id DESC
        """
    static let byCreation: StaticString = """
        SELECT created_at, id, number, publication FROM articles
        WHERE state = ?2 AND (created_at, id) >= (?3, ?4) AND (created_at, id) < (?5, ?6)
        ORDER BY created_at, id
        """
    static let byCreationDescending: StaticString = """
        SELECT created_at, id, number, publication FROM articles
        WHERE state = ?2 AND (created_at, id) >= (?3, ?4) AND (created_at, id) < (?5, ?6)
        ORDER BY created_at DESC, id DESC
        """
    static let byUpdate: StaticString = """
        SELECT updated_at, id, number, publication FROM articles
        WHERE state = ?2 AND (updated_at, id) >= (?3, ?4) AND (updated_at, id) < (?5, ?6)
        ORDER BY updated_at, id
        """
    static let byUpdateDescending: StaticString = """
        SELECT updated_at, id, number, publication FROM articles
        WHERE state = ?2 AND (updated_at, id) >= (?3, ?4) AND (updated_at, id) < (?5, ?6)
        ORDER BY updated_at DESC, id DESC
        """
    static let ownByPublication: StaticString = """
        SELECT publication, id, number, publication FROM articles
        WHERE owner = ?1 AND state = ?2
            AND (publication, id) >= (?3, ?4) AND (publication, id) < (?5, ?6)
        ORDER BY publication, id
        """
    static let ownByPublicationDescending: StaticString = """
        SELECT publication, id, number, publication FROM articles
        WHERE owner = ?1 AND state = ?2
            AND (publication, id) >= (?3, ?4) AND (publication, id) < (?5, ?6)
        ORDER BY publication DESC, id DESC
        """
    static let ownByCreation: StaticString = """
        SELECT created_at, id, number, publication FROM articles
        WHERE owner = ?1 AND state = ?2
            AND (created_at, id) >= (?3, ?4) AND (created_at, id) < (?5, ?6)
        ORDER BY created_at, id
        """
    static let ownByCreationDescending: StaticString = """
        SELECT created_at, id, number, publication FROM articles
        WHERE owner = ?1 AND state = ?2
            AND (created_at, id) >= (?3, ?4) AND (created_at, id) < (?5, ?6)
        ORDER BY created_at DESC, id DESC
        """
    static let ownByUpdate: StaticString = """
        SELECT updated_at, id, number, publication FROM articles
        WHERE owner = ?1 AND state = ?2
            AND (updated_at, id) >= (?3, ?4) AND (updated_at, id) < (?5, ?6)
        ORDER BY updated_at, id
        """
    static let ownByUpdateDescending: StaticString = """
        SELECT updated_at, id, number, publication FROM articles
        WHERE owner = ?1 AND state = ?2
            AND (updated_at, id) >= (?3, ?4) AND (updated_at, id) < (?5, ?6)
        ORDER BY updated_at DESC, id DESC
        """
}

extension ArticlePosition {
    /// Returns true if this position precedes the other one in an order.
    func precedes(_ other: ArticlePosition, in sort: ArticleSort) -> Bool {
        sort.isDescending ? (other.key, other.id) < (key, id) : (key, id) < (other.key, other.id)
    }
}

extension ArticleSort {
    var isDescending: Bool {
        switch self {
        case .newestFirst, .createdLast, .updatedLast: true
        case .oldestFirst, .createdFirst, .updatedFirst: false
        }
    }

    var isByPublication: Bool { self == .newestFirst || self == .oldestFirst }
}

extension Identifier {
    /// The 16 bytes, big-endian.
    var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }
}
