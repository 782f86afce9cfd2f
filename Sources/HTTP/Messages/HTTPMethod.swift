/// A request method (RFC 9110 §9): a case-sensitive token.
public struct HTTPMethod: Sendable, Hashable {
    public let rawValue: String

    /// The method with this name; `nil` if it is not a token (RFC 9110 §5.6.2).
    public init?(_ name: String) {
        guard !name.isEmpty, name.utf8.allSatisfy(Token.contains) else { return nil }
        rawValue = name
    }

    private init(known name: String) { rawValue = name }

    public static let get = HTTPMethod(known: "GET")
    public static let head = HTTPMethod(known: "HEAD")
    public static let post = HTTPMethod(known: "POST")
    public static let put = HTTPMethod(known: "PUT")
    public static let patch = HTTPMethod(known: "PATCH")
    public static let delete = HTTPMethod(known: "DELETE")
    public static let options = HTTPMethod(known: "OPTIONS")
    public static let connect = HTTPMethod(known: "CONNECT")
    public static let trace = HTTPMethod(known: "TRACE")

    /// Whether the method is safe (RFC 9110 §9.2.1).
    public var isSafe: Bool {
        self == .get || self == .head || self == .options || self == .trace
    }

    /// Whether the method is idempotent (RFC 9110 §9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}

extension HTTPMethod: CustomStringConvertible {
    public var description: String { rawValue }
}
