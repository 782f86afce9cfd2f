/// A value with everything that one request to the backend needs; it names its answer.
///
/// The declaration is the contract: client, server and documentation all read `endpoint` and
/// `parameters`, so that they cannot drift.
public protocol BackendAPIRequest: Sendable, Hashable {
    /// What the response mapper makes of the answer.
    associatedtype Item: ResponseItem

    static var endpoint: Endpoint { get }

    /// How the value's parts travel, in the order of its initialiser's arguments.
    static var parameters: Parameters<Self> { get }
}

extension BackendAPIRequest {
    /// The request that arrived.
    ///
    /// - Throws: A refusal with everything that is wrong with it.
    public init(parsing source: RequestSource) throws(RequestValidationError) {
        self = try Self.parameters.parse(source)
    }
}
