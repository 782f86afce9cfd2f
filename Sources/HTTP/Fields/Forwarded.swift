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
    /// A node that is obfuscated, unknown or missing is `nil`; so is every node of a malformed
    /// field.
    public static func forwarded(_ fields: borrowing HTTPFields) -> [ForwardedNode?]? {
        guard let value = fields.combined(.forwarded) else { return nil }
        var reader = FieldValueReader(value)
        var nodes: [ForwardedNode?] = []
        reader.skipEmptyElements()
        while !reader.isAtEnd {
            guard let pairs = reader.forwardedPairs() else { return [nil] }
            let node = pairs.first { $0.name == "for" }
            nodes.append(node.flatMap { ForwardedNode($0.value) })
            guard reader.skipSeparators() else { return [nil] }
        }
        return nodes
    }

    /// The elements of `X-Forwarded-For`; `nil` without the field.
    public static func xForwardedFor(_ fields: borrowing HTTPFields) -> [ForwardedNode?]? {
        guard let value = fields.combined(.xForwardedFor) else { return nil }
        return value.split(separator: ",", omittingEmptySubsequences: false).map {
            ForwardedNode(String($0).trimmed)
        }
    }
}

/// A host with an optional port (RFC 7239 §6). A value; use it anywhere. See ``ForwardedNodes``.
public struct ForwardedNode: Sendable, Hashable {
    /// An IP address without brackets; only its characters are checked.
    public let host: String
    /// 0 if the node has no port.
    public let port: UInt16

    /// Parses `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]:80` and, as is common, `2001:db8::1`;
    /// `nil` for obfuscated identifiers.
    init?(_ text: String) {
        var host = text[...]
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

/// Whether a request reached a proxy over TLS or in plaintext, as reported by the proxy.
///
/// A value; use it anywhere. If in doubt, it is `plain`; the caller decides whether to trust the
/// sender.
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
