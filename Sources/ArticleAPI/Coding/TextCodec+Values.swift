/// Codecs of texts that other APIs use in paths, queries, header fields and JSON.

extension TextCodec where Value == String {
    /// Any text, unchanged.
    public static var string: TextCodec {
        TextCodec(
            "text", .text(TextSchema(.lines, length: 0...Int.max)), parse: { $0 }, print: { $0 })
    }
}

extension TextCodec where Value == Int {
    /// A decimal integer, without a `+` sign or leading zeros.
    public static var integer: TextCodec { .integer(Int.min...Int.max) }
}

extension TextCodec where Value == Bool {
    /// `true` or `false`.
    public static var boolean: TextCodec {
        TextCodec(
            "true or false", .choice(["true", "false"]),
            parse: { $0 == "true" ? true : $0 == "false" ? false : nil },
            print: { $0 ? "true" : "false" })
    }
}

extension TextCodec where Value == Double {
    /// A decimal number; values that are not finite are rejected.
    public static var number: TextCodec {
        TextCodec(
            "a number", .text(TextSchema(.token, length: 1...100)),
            parse: { text in Double(text).flatMap { $0.isFinite ? $0 : nil } },
            print: { value in
                var writer = JSONWriter()
                writer.number(value)
                return String(decoding: writer.bytes, as: UTF8.self)
            },
            fault: { $0.isFinite ? nil : "is not a finite number" })
    }
}

extension TextCodec where Value == LocalDay {
    /// A day of the calendar: `2026-01-31` (RFC 3339, `full-date`).
    public static var day: TextCodec {
        TextCodec(
            "a day such as 2026-01-31", .text(TextSchema(.token, length: 10...10)),
            parse: { LocalDay($0) }, print: \.description)
    }
}

extension TextCodec where Value: RawRepresentable & SendableMetatype, Value.RawValue == String {
    /// One of these names; others are left to a case of the type for unknown names, if it has one.
    ///
    /// - Parameter names: the raw values that this version knows.
    public static func named(_ names: String...) -> TextCodec {
        let expectation = "one of \(names.joined(separator: ", "))"
        return TextCodec(
            expectation, .choice(names), parse: { Value(rawValue: $0) }, print: \.rawValue,
            fault: { names.contains($0.rawValue) ? nil : "must be \(expectation)" })
    }
}

extension TextCodec {
    /// Values that are separated by commas in one text: `red,green`. An empty text has none.
    ///
    /// - Parameter element: the form of a value; its texts must not contain commas.
    public static func list<Element>(
        of element: TextCodec<Element>
    ) -> TextCodec where Value == [Element] {
        TextCodec(
            "a list, separated by commas, each \(element.expectation)",
            .text(TextSchema(.lines, length: 0...Int.max)),
            parse: { text in
                let parts =
                    text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
                let values = parts.compactMap { element.parse(String($0)) }
                return values.count == parts.count ? values : nil
            },
            print: { $0.map(element.print).joined(separator: ",") },
            fault: { $0.lazy.compactMap(element.fault).first })
    }
}
