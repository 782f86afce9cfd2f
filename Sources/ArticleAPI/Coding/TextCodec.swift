public import BroadsheetHTTP

/// The text form of values of a type, its parser, and the limits within which a backend accepts
/// them.
///
/// Its closures run on any thread.
///
/// ```swift
/// let even = TextCodec<Int>(
///     "an even number", parse: { Int($0) }, print: { "\($0)" },
///     fault: { $0.isMultiple(of: 2) ? nil : "is odd" })
/// let fault = even.fault(7)
/// ```
public struct TextCodec<Value>: Sendable {
    /// A description of the valid texts, in words that follow "must be" or "expected".
    public let expectation: String
    package let schema: JSONSchema
    /// Parses a text; `nil` if it does not represent a value.
    public let parse: @Sendable (String) -> Value?
    /// Parses a text that is known to be ASCII.
    let parseASCII: @Sendable (String) -> Value?
    public let print: @Sendable (Value) -> String
    /// Returns the reason why a backend rejects the value; `nil` if it accepts the value.
    public let fault: @Sendable (Value) -> String?

    /// - Parameter expectation: What the text has to be, in words that follow "must be".
    public init(
        _ expectation: String, parse: @escaping @Sendable (String) -> Value?,
        print: @escaping @Sendable (Value) -> String,
        fault: @escaping @Sendable (Value) -> String? = { _ in nil }
    ) {
        self.init(
            expectation, .text(TextSchema(.lines, length: 0...Int.max)), parse: parse, print: print,
            fault: fault)
    }

    package init(
        _ expectation: String, _ schema: JSONSchema,
        parse: @escaping @Sendable (String) -> Value?,
        print: @escaping @Sendable (Value) -> String,
        fault: @escaping @Sendable (Value) -> String? = { _ in nil }
    ) {
        self.init(
            expectation, schema, parse: parse, parseASCII: parse, print: print, fault: fault)
    }

    fileprivate init(
        _ expectation: String, _ schema: JSONSchema,
        parse: @escaping @Sendable (String) -> Value?,
        parseASCII: @escaping @Sendable (String) -> Value?,
        print: @escaping @Sendable (Value) -> String,
        fault: @escaping @Sendable (Value) -> String?
    ) {
        self.expectation = expectation
        self.schema = schema
        self.parse = parse
        self.parseASCII = parseASCII
        self.print = print
        self.fault = fault
    }

    /// The value of a text, or why a backend rejects it.
    func accept(_ text: String) -> Result<Value, TextFault> {
        guard let value = parse(text) else {
            return .failure(TextFault(message: "must be \(expectation)"))
        }
        return fault(value).map { .failure(TextFault(message: $0)) } ?? .success(value)
    }
}

/// The reason why a text is rejected.
struct TextFault: Error {
    let message: String
}

extension TextCodec where Value == String {
    /// Text in Unicode NFC without control characters; `length` is in Unicode scalars.
    public static func line(_ length: ClosedRange<Int>) -> TextCodec {
        text(.line, length, "a single line of text")
    }

    /// Text in Unicode NFC; `length` is in Unicode scalars.
    public static func lines(_ length: ClosedRange<Int>) -> TextCodec {
        text(.lines, length, "text")
    }

    /// Text in Unicode NFC of at most `limitBytes` bytes of UTF-8.
    public static func lines(limitBytes: Int) -> TextCodec {
        normalized(
            "text", TextSchema(.lines, length: 0...limitBytes),
            fault: { text in
                if text.utf8.count > limitBytes { return "is longer than \(limitBytes) bytes" }
                return TextLimit.nullFault(text)
            })
    }

    /// Any text, such as a quotation of a client's input; `length` is in Unicode scalars.
    public static func anything(_ length: ClosedRange<Int>) -> TextCodec {
        TextCodec(
            "text", .text(TextSchema(.anything, length: length)), parse: { $0 }, print: { $0 },
            fault: { text in
                let count = text.unicodeScalars.count
                if count < length.lowerBound {
                    return "is shorter than \(length.lowerBound) characters"
                }
                return count > length.upperBound
                    ? "is longer than \(length.upperBound) characters" : nil
            })
    }

    /// Printable ASCII without spaces; `length` is in bytes.
    public static func token(_ length: ClosedRange<Int>) -> TextCodec {
        TextCodec(
            "a token of \(length.lowerBound) to \(length.upperBound) printable ASCII characters",
            .text(TextSchema(.token, length: length)),
            parse: { text in
                var text = text
                guard length.contains(text.utf8.count),
                    text.withUTF8({ $0.allSatisfy { $0 &- 0x21 < 0x5E } })
                else { return nil }
                return text
            }, print: { $0 })
    }

    private static func text(
        _ form: TextSchema.Form, _ length: ClosedRange<Int>, _ expectation: String
    ) -> TextCodec {
        normalized(
            expectation, TextSchema(form, length: length),
            fault: { TextLimit.fault($0, length, oneLine: form == .line) })
    }

    /// Text that is normalized to Unicode NFC, which ASCII text already is.
    static func normalized(
        _ expectation: String, _ schema: TextSchema, fault: @escaping @Sendable (String) -> String?
    ) -> TextCodec {
        TextCodec(
            expectation, .text(schema), parse: \.inNFC, parseASCII: { $0 }, print: { $0 },
            fault: fault)
    }
}

/// Limits on a text's length and characters.
enum TextLimit {
    static func fault(_ text: String, _ length: ClosedRange<Int>, oneLine: Bool) -> String? {
        // A scalar has at most 4 bytes, so scalars are only counted near the limits.
        let bytes = text.utf8.count
        if bytes > length.upperBound, text.unicodeScalars.count > length.upperBound {
            return "is longer than \(length.upperBound) characters"
        }
        if bytes < 4 * length.lowerBound, text.unicodeScalars.count < length.lowerBound {
            return bytes == 0
                ? "is empty" : "is shorter than \(length.lowerBound) characters"
        }
        if length.lowerBound > 0, text.allSatisfy(\.isWhitespace) { return "is blank" }
        if oneLine {
            let hasControl = text.unicodeScalars.contains { scalar in
                scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
                    || scalar.value == 0x2028 || scalar.value == 0x2029
            }
            return hasControl ? "contains a line break or another control character" : nil
        }
        return nullFault(text)
    }

    static func nullFault(_ text: String) -> String? {
        var text = text
        // Searching the contiguous bytes is faster than indexing into the UTF-8 view.
        let hasNull = text.withUTF8 { bytes in bytes.contains(0) }
        return hasNull ? "contains the character U+0000" : nil
    }
}

extension TextCodec where Value == Int {
    /// A decimal integer in a range, without a `+` sign or leading zeros.
    public static func integer(_ range: ClosedRange<Int>) -> TextCodec {
        TextCodec(
            "an integer", .integer(range),
            parse: { text in Int(text).flatMap { String($0) == text ? $0 : nil } },
            print: { String($0) },
            fault: { range.contains($0) ? nil : Self.outside(range) })
    }

    static func outside(_ range: ClosedRange<Int>) -> String {
        range.upperBound == .max
            ? "must be at least \(range.lowerBound)"
            : "must be between \(range.lowerBound) and \(range.upperBound)"
    }
}

extension TextCodec
where Value: RawRepresentable & CaseIterable & SendableMetatype, Value.RawValue == String {
    /// One of the type's raw values.
    public static var choice: TextCodec {
        let names = Value.allCases.map(\.rawValue)
        return TextCodec(
            "one of \(names.joined(separator: ", "))", .choice(names),
            parse: { Value(rawValue: $0) }, print: \.rawValue)
    }
}

/// Codecs of values that several models share.
extension TextCodec where Value == Timestamp {
    /// RFC 3339; written in UTC with milliseconds.
    public static var timestamp: TextCodec {
        TextCodec(
            "an RFC 3339 time", .text(TextSchema(.timestamp, length: 20...64)),
            parse: { Timestamp($0) }, print: \.description)
    }
}

extension TextCodec {
    /// A UUIDv7 in its 36-character form.
    public static func identifier<Subject>() -> TextCodec where Value == Identifier<Subject> {
        TextCodec(
            "a UUIDv7", .text(TextSchema(.identifier, length: 36...36)),
            parse: { Identifier($0) }, print: \.description)
    }
}

extension TextCodec where Value == String {
    /// A BCP 47 language tag in the recommended case: `en`, `zh-Hant-TW`.
    public static var language: TextCodec {
        TextCodec(
            "a BCP 47 language tag", .text(TextSchema(.language, length: 2...35)),
            parse: { LanguageTag($0)?.text }, print: { $0 },
            fault: { LanguageTag($0) == nil ? "must be a BCP 47 language tag" : nil })
    }

    /// An absolute http(s) URL.
    public static var webAddress: TextCodec {
        TextCodec(
            "an absolute http or https URL", .text(TextSchema(.webAddress, length: 10...2000)),
            parse: { $0 }, print: { $0 }, fault: WebAddress.fault)
    }

    /// A slug chosen by an editor.
    public static var slug: TextCodec {
        normalized(
            "a slug", TextSchema(.slug, length: 1...Slug.limit), fault: { Slug.fault($0) })
    }
}

extension TextCodec where Value == IfMatch {
    /// Entity tags, or `*`.
    public static var ifMatch: TextCodec {
        TextCodec(
            "`*` or a list of entity tags in quotation marks",
            .text(TextSchema(.entityTags, length: 1...4000)), parse: { IfMatch($0) },
            print: \.description)
    }
}

extension IfMatch {
    /// The precondition that the current version is this one (`Article.version`,
    /// `Author.version`); `nil` if the text is not valid in an entity tag.
    public init?(version: String) {
        guard let tag = EntityTag(value: version) else { return nil }
        self = .tags([tag])
    }
}

extension TextCodec where Value == String {
    /// A revision, a hyphen, and six characters: `7-x1y2z3`.
    public static var version: TextCodec { .token(8...26) }

    /// The `next` of a page.
    public static var cursor: TextCodec { .token(1...500) }

    /// The key of an idempotent write.
    public static var idempotencyKey: TextCodec { .token(1...200) }
}

extension JSONParser {
    mutating func scanTimestamp() -> Timestamp? { scanPlain { Timestamp(plain: $0) } }

    mutating func scanIdentifier<Subject>() -> Identifier<Subject>? {
        scanPlain { Identifier(ascii: $0) }
    }
}

extension JSONCodec where Value == Timestamp {
    /// RFC 3339; written in UTC with milliseconds.
    public static var timestamp: JSONCodec {
        .text(.timestamp, plain: { $0.write(to: &$1) }, parse: { Timestamp(plain: $0) })
    }
}

extension JSONCodec {
    /// A UUIDv7 in its 36-character form.
    public static func identifier<Subject>() -> JSONCodec where Value == Identifier<Subject> {
        .text(.identifier(), plain: { $0.write(to: &$1) }, parse: { Identifier(ascii: $0) })
    }
}
