public import HTTP

/// A received HTTP request, from which the contract parses a typed one.
public struct RequestSource: Sendable {
    let path: [String: String]
    let query: Result<QueryItems, QueryItems.ParsingError>
    let fields: HTTPFields
    /// Empty if there is none.
    let body: [UInt8]

    /// - Parameters:
    ///   - request: the received request.
    ///   - path: the decoded values of the path's parameters, by their names.
    public init(_ request: HTTPRequest, path: [String: String]) {
        self.path = path
        fields = request.fields
        body = request.body
        query = Result { () throws(QueryItems.ParsingError) in
            try QueryItems(parsing: request.target.query ?? [])
        }
    }

    /// The source of a request; `nil` if its path does not match the template of `endpoint`.
    public init?(_ request: HTTPRequest, for endpoint: Endpoint) {
        guard let segments = try? request.target.segments(),
            let path = endpoint.template.values(in: segments)
        else { return nil }
        self.init(request, path: path)
    }
}
