/// Parses a field value by its grammar (RFC 9110 §5.6).
///
/// It reads octets: reading characters, a combining mark could hide a separator.
struct FieldValueReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { position == bytes.count }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips optional white space (RFC 9110 §5.6.3).
    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 { position += 1 }
    }

    /// Skips this octet if it is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Reads a token (RFC 9110 §5.6.2); `nil` if none starts here.
    mutating func token() -> String? {
        let start = position
        while let byte = next, Token.contains(byte) { position += 1 }
        return position > start ? text(start..<position) : nil
    }

    /// Reads everything up to this octet and skips the octet; `nil`, without moving, if it is
    /// missing.
    mutating func text(until character: Unicode.Scalar) -> String? {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: character)) else {
            return nil
        }
        defer { position = end + 1 }
        return text(position..<end)
    }

    /// Reads a quoted string and removes its quotes and escapes (RFC 9110 §5.6.4); `nil` if none
    /// starts here or it is not terminated.
    mutating func quotedString() -> String? {
        guard take("\"") else { return nil }
        var content: [UInt8] = []
        // Invariant: `content` is the unescaped text after the opening quote.
        while let byte = next {
            position += 1
            if byte == UInt8(ascii: "\"") {
                return String(decoding: content, as: UTF8.self).streamSafe
            }
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                continue
            }
            guard let escaped = next else { return nil }
            content.append(escaped)
            position += 1
        }
        return nil
    }

    /// Reads parameters (RFC 9110 §5.6.6), with names in lower case; `nil` if they are malformed.
    ///
    /// - Parameters:
    ///   - allowsBare: True if a name may have no value (RFC 8288 §3).
    ///   - allowsEmpty: True if the value after `=` may be empty.
    mutating func parameters(
        allowsBare: Bool = false, allowsEmpty: Bool = false
    ) -> [(name: String, value: String)]? {
        var parameters: [(name: String, value: String)] = []
        skipSpace()
        while take(";") {
            skipSpace()
            // RFC 9110 allows empty parameters.
            guard let name = token()?.lowercased() else { continue }
            if allowsBare { skipSpace() }
            if take("=") {
                if allowsBare { skipSpace() }
                let isEmpty = allowsEmpty && next != UInt8(ascii: "\"")
                guard let value = token() ?? (isEmpty ? "" : quotedString()) else { return nil }
                parameters.append((name, value))
            } else {
                guard allowsBare else { return nil }
                parameters.append((name, ""))
            }
            skipSpace()
        }
        return parameters
    }

    /// Moves to the next list element, past commas and white space; empty elements are ignored (RFC
    /// 9110 §5.6.1.2). False if the next octet is not a separator.
    mutating func skipSeparators() -> Bool {
        skipSpace()
        guard !isAtEnd else { return true }
        guard take(",") else { return false }
        skipEmptyElements()
        return true
    }

    mutating func skipEmptyElements() {
        repeat { skipSpace() } while take(",")
    }

    /// Skips an invalid element: moves to the next comma outside quotes.
    mutating func skipElement() {
        while let byte = next, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") {
                guard quotedString() != nil else { return }
            } else {
                position += 1
            }
        }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self).streamSafe
    }
}

/// The octet classes of RFC 9110 §5.
enum Token {
    /// `tchar`: the octets of tokens (RFC 9110 §5.6.2).
    @inline(__always)
    static func contains(_ byte: UInt8) -> Bool { tchar.contains(byte) }

    /// Returns true if an octet is allowed in a field value (RFC 9110 §5.5): visible, space, tab,
    /// obs-text.
    @inline(__always)
    static func isFieldContent(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte != 0x7F : byte == 0x09
    }

    /// Optional white space (RFC 9110 §5.6.3).
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Converts ASCII letters to lower case and leaves other octets unchanged.
    @inline(__always)
    static func lowercase(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Returns true if both are equal, ignoring the case of ASCII letters only: to Unicode, the
    /// Kelvin sign is a `K`; to HTTP, it is not.
    static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { lowercase($0) == lowercase($1) }
    }

    /// The same for borrowed octets and a text.
    static func equal(_ left: borrowing Span<UInt8>, _ right: String) -> Bool {
        var right = right
        return right.withUTF8 { right in
            guard left.count == right.count else { return false }
            // Invariant: the first `index` octets are equal except for case.
            for index in 0..<right.count where lowercase(left[index]) != lowercase(right[index]) {
                return false
            }
            return true
        }
    }

    /// The octets without surrounding optional white space.
    static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { !isSpace($0) }),
            let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return bytes[first...last]
    }

    /// `!#$%&'*+-.^_|~`, the backtick, digits and letters.
    private static let tchar = OctetSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
}

/// A set of ASCII octets, one bit each; a lookup is cheaper than in a table.
struct OctetSet: Sendable {
    /// The octets 0 to 63 and 64 to 127, lowest bit first.
    let low: UInt64
    let high: UInt64

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte < 0x80 && ((byte < 0x40 ? low : high) &>> UInt64(byte & 0x3F)) & 1 == 1
    }

    /// This set with the octets of an ASCII text added.
    func union(_ marks: StaticString) -> OctetSet {
        var (low, high) = (low, high)
        marks.withUTF8Buffer { bytes in
            for byte in bytes {
                let bit = 1 as UInt64 &<< UInt64(byte & 0x3F)
                if byte < 0x40 { low |= bit } else { high |= bit }
            }
        }
        return OctetSet(low: low, high: high)
    }
}

/// A media type (RFC 9110 §8.3.1), with its parameters.
///
/// Type, subtype and the names of parameters are in lower case, so that they can be compared;
/// values are as they were sent, without quotes.
///
/// ```swift
/// let type = MediaType("Text/HTML; charset=\"UTF-8\"")
/// let isPage = type?.is("text/html") ?? false
/// let charset = type?.parameter("charset")
/// ```
public struct MediaType: Sendable, Hashable {
    /// In lower case.
    public let type: String
    /// In lower case.
    public let subtype: String
    /// Names in lower case.
    public let parameters: [Parameter]

    public struct Parameter: Sendable, Hashable {
        public let name: String
        public let value: String
    }

    /// Parses a field value; `nil` if it is not a media type.
    public init?(_ text: String) {
        var reader = FieldValueReader(text)
        reader.skipSpace()
        self.init(from: &reader)
        guard reader.isAtEnd else { return nil }
    }

    /// - Parameter isRange: True if the text is an element of `Accept`: then `*` alone stands for
    ///   `*/*`, and parameters without a value are empty.
    init?(from reader: inout FieldValueReader, isRange: Bool = false) {
        guard let type = reader.token() else { return nil }
        let subtype = reader.take("/") ? reader.token() : isRange && type == "*" ? type : nil
        guard let subtype,
            let parameters = reader.parameters(allowsBare: isRange, allowsEmpty: isRange)
        else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        self.parameters = parameters.map { Parameter(name: $0.name, value: $0.value) }
    }

    /// Returns true if type and subtype equal `text` (`application/json`), which is in lower case.
    public func `is`(_ text: String) -> Bool { "\(type)/\(subtype)" == text }

    /// The parameter's value; `nil` without it.
    public func parameter(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Returns true if an `Accept` value covers this type (RFC 9110 §12.5.1). Without a value, or
    /// without a valid element in it, every type is acceptable.
    public func isAccepted(by accept: String?) -> Bool { Accept(accept).quality(of: self) > 0 }
}

extension MediaType: CustomStringConvertible {
    /// The media type as a field value.
    public var description: String {
        parameters.reduce("\(type)/\(subtype)") { text, parameter in
            "\(text);\(parameter.name)=\(Self.quoted(parameter.value))"
        }
    }

    private static func quoted(_ value: String) -> String {
        if !value.isEmpty, value.utf8.allSatisfy(Token.contains) { return value }
        var text = "\""
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }
}
