public import HTTP

/// A request as it arrived, for the contract to make a typed one of.
public struct RequestSource: Sendable {
    let path: [String: String]
    let query: Result<QueryItems, QueryItems.ParsingError>
    let fields: HTTPFields
    /// Empty where there is none.
    let body: [UInt8]

    /// - Parameters:
    ///   - request: what came.
    ///   - path: what stands in the path where the template has names, decoded.
    public init(_ request: HTTPRequest, path: [String: String]) {
        self.path = path
        fields = request.fields
        body = request.body
        query = Result { () throws(QueryItems.ParsingError) in
            try QueryItems(parsing: request.target.query ?? [])
        }
    }

    /// The source of a request whose path fits the template of `endpoint`; `nil` if it does not.
    public init?(_ request: HTTPRequest, for endpoint: Endpoint) {
        guard let segments = try? request.target.segments(),
            let path = endpoint.template.values(in: segments)
        else { return nil }
        self.init(request, path: path)
    }
}
