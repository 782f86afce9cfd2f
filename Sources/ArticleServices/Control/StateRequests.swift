public import ArticleAPI
public import ArticleStore
import HTTP

/// `GET /control/state`: returns what the store holds.
public struct FetchStateRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.get, "/control/state", access: .administer)
    public typealias Item = StoreState

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// How much a store holds.
public struct StoreState: Sendable, Hashable {
    /// The number of the last change.
    public var sequence: Int
    /// Excludes tombstones.
    public var articles: Int
}

extension StoreState: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("sequence", \.sequence, .integer(0...Int.max)),
        .required("articles", \.articles, .integer(0...Int.max)))
}

/// `GET /control/check`: checks the database while it is being served.
public struct CheckRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.get, "/control/check", access: .administer)
    public typealias Item = CheckReport

    public static let parameters = Parameters(Self.init)

    public init() {}
}

extension CheckReport: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("articles", \.articles, .integer(0...Int.max)),
        .required("revisions", \.revisions, .integer(0...Int.max)),
        .required("changes", \.changes, .integer(0...Int.max)),
        .required("findings", \.findings, .array(of: .text(.lines(0...10_000)), atMost: 10_000)))
}

/// `GET /control/export`: streams an export in the format of `Exporter`.
public struct ExportRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.get, "/control/export", access: .administer)
    public typealias Item = RawBody

    public static let parameters = Parameters(Self.init)

    public init() {}
}
