package import ArticleAPI

/// The reason why no code was generated. See ``SwiftGenerator``.
package enum GenerationError: Error, Sendable, Hashable {
    /// The text is not JSON.
    case notJSON(source: String, JSONSyntaxError)
    /// The text is JSON, but not of the expected form.
    case unusable(source: String, String)
    /// The description contains constructs for which no code can be generated.
    case unsupported([Finding])
    /// The result would exceed a limit.
    case tooLarge(String)
}

extension GenerationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notJSON(let source, let error): "\(source): \(error.message)"
        case .unusable(let source, let reason): "\(source): \(reason)"
        case .unsupported(let findings):
            findings.map(\.description).joined(separator: "\n")
        case .tooLarge(let reason): reason
        }
    }
}

/// A construct of a description that has no equivalent in the generated code. See
/// ``SwiftGenerator``.
public struct Finding: Error, Sendable, Hashable, CustomStringConvertible {
    /// The JSON pointer (RFC 6901) of the construct.
    public let pointer: String
    /// A description of the unsupported part, in words that follow the pointer.
    public let message: String

    public var description: String { "\(pointer.isEmpty ? "/" : pointer): \(message)" }
}

/// The limits of one run, which bound the cost of hostile input.
enum GenerationLimits {
    static let types = 1_000
    static let properties = 200
    static let cases = 500
    static let operations = 1_000
    /// The depth of schemas within schemas and of references to references.
    static let depth = 40
    static let outputBytes = 4 << 20
    /// The maximum number of findings that are reported.
    static let findings = 200
}
