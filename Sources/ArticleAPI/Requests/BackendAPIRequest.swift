/// One request to the backend, as a value that names the type of its response.
///
/// The declaration is the contract: client, server and documentation all use `endpoint` and
/// `parameters`, so that they cannot diverge.
public protocol BackendAPIRequest: Sendable, Hashable {
    /// What the response mapper decodes from the response.
    associatedtype Item: ResponseItem

    static var endpoint: Endpoint { get }

    /// How the value's parts are transferred, in the order of its initialiser's arguments.
    static var parameters: Parameters<Self> { get }
}

extension BackendAPIRequest {
    /// Parses a received request.
    ///
    /// - Throws: an error with every fault of the request.
    public init(parsing source: RequestSource) throws(RequestValidationError) {
        self = try Self.parameters.parse(source)
    }
}
