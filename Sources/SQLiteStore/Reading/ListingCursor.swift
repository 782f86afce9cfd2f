import ArticleAPI
import ArticleStore

/// Iterates over the articles of one state in one order, one index row at a time.
final class ListingCursor {
    /// A position between index rows: the sort key and the bytes of an id (possibly a prefix, or
    /// longer).
    struct Bound {
        var key: Int64
        var id: [UInt8]

        /// Before every row of this key.
        static func before(_ key: Int64) -> Bound { Bound(key: key, id: []) }

        /// After every row of this key.
        static func after(_ key: Int64) -> Bound {
            Bound(key: key, id: [UInt8](repeating: 0xFF, count: 17))
        }

        static func at(_ position: ArticlePosition) -> Bound {
            Bound(key: position.key, id: position.id.bytes)
        }

        /// Directly after the row at this position: there is no 16-byte id in between.
        static func past(_ position: ArticlePosition) -> Bound {
            Bound(key: position.key, id: position.id.bytes + [0])
        }

        static func < (left: Bound, right: Bound) -> Bool {
            left.key == right.key
                ? left.id.lexicographicallyPrecedes(right.id) : left.key < right.key
        }
    }

    struct Entry {
        var position: ArticlePosition
        var article: Int64
        var publication: Int64
    }

    let state: StoredState
    /// The current row; `nil` at the end.
    private(set) var entry: Entry?
    private let statement: Statement

    /// Starts at the first row within `from..<to`.
    init(
        _ connection: Connection, sort: ArticleSort, facet: Int64, state: StoredState,
        from: Bound, to: Bound
    ) throws(StoreError) {
        self.state = state
        statement = try connection.statement(Self.sql(sort))
        try statement.bind(1, facet)
        try statement.bind(2, state.rawValue)
        try statement.bind(3, from.key)
        try statement.bind(4, from.id)
        try statement.bind(5, to.key)
        try statement.bind(6, to.id)
        try advance()
    }

    func advance() throws(StoreError) {
        guard try statement.step() else {
            entry = nil
            return
        }
        entry = Entry(
            position: ArticlePosition(
                key: statement.integer(0), id: try statement.identifier(1)),
            article: statement.integer(2), publication: statement.integer(3))
    }

    private static func sql(_ sort: ArticleSort) -> StaticString {
        switch sort {
        case .newestFirst: SQL.byPublicationDescending
        case .oldestFirst: SQL.byPublication
        case .createdLast: SQL.byCreationDescending
        case .createdFirst: SQL.byCreation
        case .updatedLast: SQL.byUpdateDescending
        case .updatedFirst: SQL.byUpdate
        }
    }
}

extension ArticlePosition {
    /// Whether this position precedes the other one in an order.
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
