/// A request whose response can be restricted to some attributes.
public protocol SparseRequest: BackendAPIRequest {
    /// The response with the selected attributes.
    associatedtype Partial: ResponseItem

    var fields: FieldSelection? { get set }
}

/// A request for some attributes only: the same endpoint, with the others absent in the response.
///
/// `PartialRequest(FetchArticlesRequest(limit: 50), fields: ["title", "authors.name"])`
public struct PartialRequest<Whole: SparseRequest>: BackendAPIRequest {
    public static var endpoint: Endpoint { Whole.endpoint }
    public typealias Item = Whole.Partial

    public static var parameters: Parameters<Self> {
        Whole.parameters.mapped({ Self(whole: $0) }, { $0.whole })
    }

    /// The request, with its selection.
    public internal(set) var whole: Whole

    public init(_ request: Whole, fields: some Sequence<String>) {
        var whole = request
        whole.fields = FieldSelection(fields)
        self.whole = whole
    }

    private init(whole: Whole) { self.whole = whole }
}
