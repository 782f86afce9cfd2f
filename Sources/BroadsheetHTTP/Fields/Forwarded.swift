/// The nodes that proxies recorded for a request: the client first, then each proxy's peer.
///
/// Anyone can send these fields; the caller decides which elements to trust. Its functions may be
/// used on any thread.
///
/// ```swift
/// let fields: HTTPFields = [.forwarded: "for=192.0.2.1;proto=https, for=unknown"]
/// let hosts = ForwardedNodes.forwarded(fields)?.map { $0?.host }
/// ```
public enum ForwardedNodes {
    /// The `for` parameter of each `Forwarded` element (RFC 7239 §5.2); `nil` without the field.
    ///
    /// A node that is obfuscated, unknown, malformed or missing is `nil`. Each element is parsed by
    /// itself, from one comma to the next, so that a client's elements cannot hide the one that its
    /// proxy added. A port or an IPv6 address needs no quotes.
    public static func forwarded(_ fields: borrowing HTTPFields) -> [ForwardedNode?]? {
        fields.combined(.forwarded).map { value in
            parts(of: value, by: ",").filter { !$0.isEmpty }.map { element in
                let node = parts(of: element, by: ";").first { pair in
                    pair.prefix(4).lowercased() == "for="
                }
                return node.flatMap { ForwardedNode(String($0.dropFirst(4))) }
            }
        }
    }

    /// The elements of `X-Forwarded-For`; `nil` without the field.
    public static func xForwardedFor(_ fields: borrowing HTTPFields) -> [ForwardedNode?]? {
        fields.combined(.xForwardedFor).map { value in
            parts(of: value, by: ",").map { ForwardedNode($0) }
        }
    }

    /// The trimmed parts between these octets.
    private static func parts(of text: String, by separator: Unicode.Scalar) -> [String] {
        text.utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { String(Substring($0)).trimmed }
    }
}

/// A host with an optional port (RFC 7239 §6). See ``ForwardedNodes``.
public struct ForwardedNode: Sendable, Hashable {
    /// An IP address without brackets; only its characters are checked.
    public let host: String
    /// 0 if the node has no port.
    public let port: UInt16

    /// Parses `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]:80` and, as is common, `2001:db8::1`,
    /// with or without quotes; `nil` for obfuscated identifiers.
    init?(_ text: String) {
        var text = text[...]
        if text.utf8.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") {
            text = text.dropFirst().dropLast()
        }
        var host = text
        var digits: Substring = ""
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            digits = rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            host = text[..<colon]
            digits = text[text.index(after: colon)...]
        }
        let isAddress = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "."), UInt8(ascii: ":"), 48...57, 65...70, 97...102: true
            default: false
            }
        }
        guard !host.isEmpty, host.utf8.count <= 45, isAddress else { return nil }
        self.host = String(host)
        // The port may be obfuscated too (RFC 7239 §6); the address is still valid.
        port = digits.utf8.allSatisfy { (48...57).contains($0) } ? UInt16(digits) ?? 0 : 0
    }
}

/// The transport over which a request reached a proxy, TLS or plaintext, as reported by the proxy.
///
/// If in doubt, it is `plain`; the caller decides whether to trust the sender.
///
/// ```swift
/// let fields: HTTPFields = [.xForwardedProto: "https, http"]
/// let isSecure = ForwardedTransport(fields) == .secure
/// ```
public enum ForwardedTransport: Sendable, Hashable {
    case secure
    case plain

    /// The transport that `Forwarded` (RFC 7239 §5.4) and `X-Forwarded-Proto` report; `nil` without
    /// both.
    ///
    /// Every proxy in a chain adds an element, and the client may have sent one too: a single value
    /// other than `https` means `plain`. An invalid field also means `plain`.
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
