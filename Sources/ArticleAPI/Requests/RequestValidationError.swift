/// Why a request does not match the contract: all of its faults.
public struct RequestValidationError: Error, Sendable, Hashable {
    public var reason: Reason
    /// In the order of the request's parts, followed by unexpected parts; at most 100.
    public var details: [Problem.Detail]
    /// The media types that the body may have, for `Accept` or `Accept-Patch` in a 415.
    public var mediaTypes: [String]

    public init(_ reason: Reason, details: [Problem.Detail], mediaTypes: [String] = []) {
        self.reason = reason
        self.details = details
        self.mediaTypes = mediaTypes
    }

    /// The most severe fault decides the status.
    public enum Reason: Sendable, Hashable, Comparable {
        /// The body is well-formed but contains invalid values: 422.
        case invalid
        /// The body has an unsupported media type or content coding: 415.
        case unsupportedMediaType
        /// The path, query or a header is faulty, or the body is missing or not JSON: 400.
        case malformed
    }

    /// The problem that is sent to the client.
    public func problem(instance: String? = nil) -> Problem {
        let kind: Problem.Kind =
            switch reason {
            case .invalid: .invalidValues
            case .unsupportedMediaType: .unsupportedMediaType
            case .malformed: .malformedRequest
            }
        return Problem(kind, detail: details.first?.sentence, instance: instance, errors: details)
    }
}
