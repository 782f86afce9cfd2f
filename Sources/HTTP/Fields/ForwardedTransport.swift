/// Whether a request reached a proxy over TLS or in plaintext, as reported by the proxy.
public enum ForwardedTransport: Sendable, Hashable {
    case secure
    case plain

    /// The transport that `Forwarded` (RFC 7239 §5.4) and `X-Forwarded-Proto` report; `nil` without
    /// both.
    ///
    /// Every proxy in a chain adds an element, and the client may have sent one too: a single value
    /// other than `https` means `plain`. An invalid field means `plain` as well.
    public init?(_ fields: borrowing HTTPFields) {
        var statements: [String] = []
        if let value = fields.combined(.forwarded) {
            guard let stated = Self.forwarded(value) else {
                self = .plain
                return
            }
            statements = stated
        }
        if let value = fields.combined(.xForwardedProto) {
            statements += value.split(separator: ",", omittingEmptySubsequences: false).map {
                $0.trimmingSpaces.lowercased()
            }
        }
        guard !statements.isEmpty else { return nil }
        self = statements.allSatisfy { $0 == "https" } ? .secure : .plain
    }

    /// The `proto` of each element in lower case; `nil` if an element is malformed.
    private static func forwarded(_ value: String) -> [String]? {
        var reader = FieldValueReader(value)
        var statements: [String] = []
        reader.skipEmptyElements()
        while !reader.isAtEnd {
            guard let pairs = reader.forwardedPairs() else { return nil }
            statements += pairs.filter { $0.name == "proto" }.map { $0.value.lowercased() }
            guard reader.skipSeparators() else { return nil }
        }
        return statements
    }
}

extension FieldValueReader {
    /// Parses `name=value` pairs separated by `;`, without spaces (RFC 7239 §4); `nil` if
    /// malformed.
    mutating func forwardedPairs() -> [(name: String, value: String)]? {
        guard let name = token()?.lowercased(), take("="),
            let value = token() ?? quotedString(), let rest = parameters()
        else { return nil }
        return [(name, value)] + rest
    }
}

extension Substring {
    /// The text without leading and trailing spaces and tabs (RFC 9110 §5.6.3).
    fileprivate var trimmingSpaces: Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let start = firstIndex(where: { !isSpace($0) }),
            let end = lastIndex(where: { !isSpace($0) })
        else { return "" }
        return self[start...end]
    }
}
