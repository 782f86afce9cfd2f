/// The target of a request (RFC 9112 §3.2), in one of four forms.
///
/// It has no octets that are invalid in a request line. Those that people nevertheless write into
/// queries, such as `"`, are percent-encoded; all others are kept as they were received. Path and
/// query are decoded on demand.
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
    /// The octets. Those that must not stand unencoded in a query are percent-encoded in upper case
    /// (`{` as `%7B`). Octets received encoded are kept as they are: `%7b` stays in lower case.
    public let bytes: [UInt8]
    private let pathStart: Int
    private let pathEnd: Int

    /// The reason why a path is invalid.
    public enum PathError: Error, Sendable, Hashable {
        case encoding(PercentEncoding.DecodingError)
        /// `.` or `..`, also percent-encoded: implementations disagree on their meaning.
        case dotSegment
    }

    /// The reason why octets are not a target.
    public enum ParsingError: Error, Sendable, Hashable {
        /// This octet has to be percent-encoded, wherever it is.
        case octet(UInt8)
        /// This octet has to be percent-encoded, except in a query.
        case pathOctet(UInt8)
        /// They match none of the four forms, or not one of the method.
        case form
    }

    /// Parses these octets; `nil` if they are not a target.
    public init?(_ bytes: some Sequence<UInt8>, method: HTTPMethod = .get) {
        do throws(ParsingError) {
            try self.init(parsing: bytes, method: method)
        } catch { return nil }
    }

    /// Parses these octets. Only `CONNECT` uses the authority form.
    public init(
        parsing bytes: some Sequence<UInt8>, method: HTTPMethod = .get
    ) throws(ParsingError) {
        var bytes = Array(bytes)
        let (queryMark, end) = bytes.withUnsafeBufferPointer {
            Self.scan(Span(_unsafeElements: $0))
        }
        if end < bytes.count {
            bytes = try Self.encoded(bytes, from: end, isQuery: queryMark < end)
        }
        guard let first = bytes.first else { throw .form }
        self.bytes = bytes
        if method == .connect {
            guard Authority(bytes)?.port != nil else { throw .form }
            (form, pathStart, pathEnd) = (.authority, 0, 0)
        } else if first == UInt8(ascii: "/") {
            form = .origin
            (pathStart, pathEnd) = (0, queryMark)
        } else if bytes == [UInt8(ascii: "*")] {
            (form, pathStart, pathEnd) = (.asterisk, 1, 1)
        } else {
            guard let start = Self.pathStart(ofAbsolute: bytes) else { throw .form }
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

    /// The index of the first `?`, or the count without one, and the number of octets before the
    /// first one that is not allowed in a target.
    private static func scan(_ bytes: borrowing Span<UInt8>) -> (queryMark: Int, end: Int) {
        var mark = bytes.count
        // Invariant: the octets before `index` are allowed in a target.
        for index in 0..<bytes.count {
            let byte = bytes[unchecked: index]
            guard octets.contains(byte) else { return (mark, index) }
            if byte == UInt8(ascii: "?"), mark == bytes.count { mark = index }
        }
        return (mark, bytes.count)
    }

    /// The octets, of which the first `start` are allowed and the next one is not; those after it
    /// belong to a query if it does.
    private static func encoded(
        _ bytes: [UInt8], from start: Int, isQuery: Bool
    ) throws(ParsingError) -> [UInt8] {
        var encoded = Array(bytes[..<start])
        for byte in bytes[start...] {
            if octets.contains(byte) {
                encoded.append(byte)
            } else {
                guard rawOctets.contains(byte) else { throw .octet(byte) }
                guard isQuery else { throw .pathOctet(byte) }
                PercentEncoding.append(escaped: byte, to: &encoded)
            }
        }
        return encoded
    }

    /// RFC 3986 §2: visible ASCII except ``"#<>\^`{|}``; a fragment is never sent.
    private static let octets = OctetSet(low: 0xAFFF_FFF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFF)
    /// Those that clients send in queries nevertheless, and other servers accept there.
    private static let rawOctets = OctetSet(low: 0, high: 0).union("\"<>\\^`{|}")

    private static func authorityStart(_ bytes: [UInt8]) -> Int {
        (bytes.firstIndex(of: UInt8(ascii: ":")) ?? 0) + 3
    }

    /// Returns the offset of the path behind `http://authority`; `nil` for another scheme or
    /// authority.
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

extension RequestTarget.ParsingError: CustomStringConvertible {
    /// The fault as a noun phrase, to follow "the request has".
    public var description: String {
        switch self {
        case .octet(let octet): Self.text(octet, in: "target")
        case .pathOctet(let octet): Self.text(octet, in: "path")
        case .form: "a request target that is invalid for its method"
        }
    }

    private static func text(_ octet: UInt8, in part: String) -> String {
        let name =
            switch octet {
            case 0x20: "space"
            case 0x21...0x7E: "\(Unicode.Scalar(octet))"
            case 0x80...: "byte outside of ASCII"
            default: "control character"
            }
        var code: [UInt8] = []
        PercentEncoding.append(escaped: octet, to: &code)
        return "a raw \(name) in its \(part): encode it as \(String(decoding: code, as: UTF8.self))"
    }
}

/// A path with named parameters, as a list of segments.
///
/// ```swift
/// let template: PathTemplate = "/v1/articles/{id}/revisions/{number}"
/// let names = template.parameters
/// ```
public struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    public let description: String
    public let segments: [Segment]

    public init(stringLiteral text: String) {
        description = text
        segments = text.split(separator: "/").map { segment in
            segment.first == "{" && segment.last == "}"
                ? .parameter(String(segment.dropFirst().dropLast())) : .literal(String(segment))
        }
    }

    /// The names in braces, in their order.
    public var parameters: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }
}
