public import HTTP

/// The address of a backend: an origin and a prefix for all paths.
public struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    public let origin: HTTPOrigin
    /// The prefix without a trailing slash, such as `/api`; usually empty.
    public let path: String

    /// `http://localhost:8080`, `https://example.com/api`, `unix:/run/broadsheet.control`; `nil`
    /// for anything else.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            guard let origin = HTTPOrigin(text) else { return nil }
            self.origin = origin
            path = ""
            return
        }
        guard let mark = text.firstRange(of: "://") else { return nil }
        let slash = text[mark.upperBound...].firstIndex(of: "/") ?? text.endIndex
        guard let origin = HTTPOrigin(String(text[..<slash])) else { return nil }
        var path = text[slash...]
        while path.last == "/" { path.removeLast() }
        if !path.isEmpty {
            guard let target = RequestTarget(path: String(path)), target.query == nil else {
                return nil
            }
        }
        self.origin = origin
        self.path = String(path)
    }

    public init(_ origin: HTTPOrigin) {
        self.origin = origin
        path = ""
    }

    public var description: String { "\(origin)\(path)" }

    /// A request's target with this prefix.
    func target(_ target: RequestTarget) -> RequestTarget {
        guard !path.isEmpty else { return target }
        return RequestTarget(Array(path.utf8) + target.bytes) ?? target
    }
}

extension BaseURL: ExpressibleByStringLiteral {
    /// A base URL that is a literal in the program.
    public init(stringLiteral text: String) {
        guard let url = BaseURL(text) else {
            preconditionFailure("programmer error: \(text) is not a base URL of a backend")
        }
        self = url
    }
}
