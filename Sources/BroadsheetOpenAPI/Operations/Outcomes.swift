import ArticleAPI
import BroadsheetHTTP

/// The outcomes of requests of a type: those of their declaration, and those that follow from their
/// parts, method and access.
struct Outcomes {
    /// The statuses of success, the usual one first.
    let successes: [HTTPStatus]
    /// The problems by status, in the order of their statuses.
    let problems: [(status: Int, kinds: [Problem.Kind])]

    init<Request: BackendAPIRequest>(of _: Request.Type) {
        let endpoint = Request.endpoint
        let names = Request.parameters.list.map(\.name)
        successes = [endpoint.success] + (endpoint.alternativeSuccess.map { [$0] } ?? [])
        var kinds = Set(Self.ofEveryRequest + endpoint.problems)
        if Request.Item.encoding.mediaType != nil { kinds.insert(.notAcceptable) }
        if !endpoint.template.parameters.isEmpty { kinds.insert(.notFound) }
        if Request.parameters.body != nil {
            kinds.formUnion([.unsupportedMediaType, .invalidValues])
        }
        if names.contains("If-Match") || endpoint.method.isSafe {
            kinds.insert(.preconditionFailed)
        }
        if names.contains("Idempotency-Key") { kinds.formUnion([.requestInFlight, .keyReused]) }
        if !endpoint.method.isSafe { kinds.insert(.storageFull) }
        kinds.formUnion(Self.ofAccess(endpoint.access))
        problems = Dictionary(grouping: Problem.Kind.allCases.filter(kinds.contains), by: \.status)
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The problems that any request can meet: bad credentials, limits, and a server that cannot
    /// respond.
    private static let ofEveryRequest: [Problem.Kind] = [
        .malformedRequest, .unauthenticated, .insecureTransport, .requestTimeout, .contentTooLarge,
        .addressTooLong, .expectationFailed, .misdirectedRequest, .tooManyRequests,
        .headerTooLarge, .internalError, .notImplemented, .unavailable, .versionNotSupported,
    ]

    private static func ofAccess(_ access: Endpoint.Access) -> [Problem.Kind] {
        switch access {
        case .everyone: []
        case .useAccount, .manageAccount, .comment: [.forbidden, .userRequired]
        case .changeComments: [.forbidden, .userRequired]
        case .readHistory, .writeArticles, .writeAuthors, .moderate, .readProfiles, .manageUsers,
            .manageSources, .administer:
            [.forbidden]
        }
    }
}
