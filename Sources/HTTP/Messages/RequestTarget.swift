/// The target of a request (RFC 9112 §3.2), in one of four forms.
///
/// A value; use it anywhere. It has no octets that are invalid in a request line, and keeps them as
/// they were received; path and query are decoded on demand.
///
/// ```swift
/// let target = RequestTarget(path: "/v1/articles/a%2Fb", query: "fields=title")
/// let segments = try target?.segments()
/// ```
public struct RequestTarget: Sendable, Hashable {
    public enum Form: Sendable, Hashable {
        /// `/path?query`
        case origin
        /// `http://host/path?query`
        case absolute
        /// `host:port`, of CONNECT
        case authority
        /// `*`, of OPTIONS
        case asterisk
    }

    public let form: Form
    /// The octets as they were received.
    public let bytes: [UInt8]
    private let pathStart: Int
    private let pathEnd: Int

    /// Why a path is invalid.
    public enum PathError: Error, Sendable, Hashable {
        case encoding(PercentEncoding.DecodingError)
        /// `.` or `..`, also percent-encoded: implementations disagree on their meaning.
        case dotSegment
    }

    /// Parses these octets; `nil` if they match none of the four forms. Only `CONNECT` uses the
    /// authority form.
    public init?(_ bytes: some Sequence<UInt8>, method: HTTPMethod = .get) {
        let bytes = Array(bytes)
        let octets = bytes[...]
        guard let first = bytes.first, let queryMark = Self.queryMark(in: octets.span) else {
            return nil
        }
        self.bytes = bytes
        if method == .connect {
            guard Authority(bytes)?.port != nil else { return nil }
            (form, pathStart, pathEnd) = (.authority, 0, 0)
        } else if first == UInt8(ascii: "/") {
            form = .origin
            (pathStart, pathEnd) = (0, queryMark)
        } else if bytes == [UInt8(ascii: "*")] {
            (form, pathStart, pathEnd) = (.asterisk, 1, 1)
        } else {
            guard let start = Self.pathStart(ofAbsolute: bytes) else { return nil }
            form = .absolute
            pathStart = start
            pathEnd = queryMark
        }
    }

    /// Creates the origin form of an encoded path and query.
    public init?(path: String, query: String? = nil) {
        self.init((path + (query.map { "?" + $0 } ?? "")).utf8)
    }

    /// The octets of the path; `/` for an absolute form without one.
    public var path: ArraySlice<UInt8> {
        pathStart == pathEnd && form == .absolute ? [UInt8(ascii: "/")] : bytes[pathStart..<pathEnd]
    }

    /// The octets after `?`; `nil` without a query.
    public var query: ArraySlice<UInt8>? {
        pathEnd < bytes.count && form != .authority ? bytes[(pathEnd + 1)...] : nil
    }

    /// The authority of an absolute or authority form.
    public var authority: ArraySlice<UInt8>? {
        switch form {
        case .authority: bytes[...]
        case .absolute: bytes[Self.authorityStart(bytes)..<pathStart]
        case .origin, .asterisk: nil
        }
    }

    /// The segments of the path, split before they are decoded, so that `%2F` does not split them.
    public func segments() throws(PathError) -> [String] {
        var segments: [String] = []
        for segment in path.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            let text: String
            do throws(PercentEncoding.DecodingError) {
                text = try PercentEncoding.decode(segment)
            } catch { throw .encoding(error) }
            guard text != ".", text != ".." else { throw .dotSegment }
            segments.append(text)
        }
        return segments
    }

    /// The index of the first `?`, or the count without one; `nil` if an octet is not allowed in a
    /// target.
    private static func queryMark(in bytes: borrowing Span<UInt8>) -> Int? {
        var mark = bytes.count
        // Invariant: the octets before `index` are allowed in a target.
        for index in 0..<bytes.count {
            let byte = bytes[unchecked: index]
            guard octets.contains(byte) else { return nil }
            if byte == UInt8(ascii: "?"), mark == bytes.count { mark = index }
        }
        return mark
    }

    /// RFC 3986 §2: visible ASCII except ``"#<>\^`{|}``; a fragment is never sent.
    private static let octets = OctetSet(low: 0xAFFF_FFF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFF)

    private static func authorityStart(_ bytes: [UInt8]) -> Int {
        (bytes.firstIndex(of: UInt8(ascii: ":")) ?? 0) + 3
    }

    /// Where the path begins behind `http://authority`; `nil` for another scheme or authority.
    private static func pathStart(ofAbsolute bytes: [UInt8]) -> Int? {
        let text = String(decoding: bytes.prefix(8), as: UTF8.self).lowercased()
        guard text.hasPrefix("http://") || text.hasPrefix("https://") else { return nil }
        let start = authorityStart(bytes)
        let end =
            bytes[start...].firstIndex {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?")
            } ?? bytes.count
        guard Authority(Array(bytes[start..<end])) != nil else { return nil }
        return end
    }
}

extension RequestTarget: CustomStringConvertible {
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
