/// Why the contract does not accept a request: everything that is wrong with it.
public struct RequestValidationError: Error, Sendable, Hashable {
    public var reason: Reason
    /// In the order of the request's parts, then what was not expected at all; at most 100.
    public var details: [Problem.Detail]
    /// The media types that the body may have: for `Accept`, or `Accept-Patch`, of a 415.
    public var mediaTypes: [String]

    public init(_ reason: Reason, details: [Problem.Detail], mediaTypes: [String] = []) {
        self.reason = reason
        self.details = details
        self.mediaTypes = mediaTypes
    }

    /// The gravest fault decides the status.
    public enum Reason: Sendable, Hashable, Comparable {
        /// The body is well-formed, but values in it cannot stand: 422.
        case invalid
        /// The body is of another media type or coding: 415.
        case unsupportedMediaType
        /// Path, query or a header is wrong, or the body is no JSON, or missing: 400.
        case malformed
    }

    /// What the one who sent it is told.
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
