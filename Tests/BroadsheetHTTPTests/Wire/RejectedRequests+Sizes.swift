import BroadsheetTestSupport

/// Requests whose chunks or sizes are rejected.
extension RejectedRequests {
    /// RFC 9112 §7.1
    static let chunks: [Case] =
        [
            ("no size", "\r\n", 400), ("a size that is not a number", "g\r\n", 400),
            ("a negative size", "-1\r\na\r\n", 400), ("a prefixed size", "0x1\r\na\r\n", 400),
            ("a space before the size", " 1\r\na\r\n", 400),
            ("a space behind the size", "1 \r\na\r\n", 400),
            ("a line feed behind the size", "1\na\r\n", 400),
            ("a carriage return alone", "1\rxa\r\n", 400),
            ("an overflowing size", "10000000000000000\r\n", 413),
            ("a size that would be negative", "ffffffffffffffff\r\n", 413),
            ("a size beyond the limit", "300001\r\n", 413),
            ("endless zeros", String(repeating: "0", count: 257), 400),
            ("data longer than its size", "1\r\nab\r\n0\r\n\r\n", 400),
            ("a line feed behind the data", "1\r\na\n0\r\n\r\n", 400),
            ("a carriage return behind the data", "1\r\na\rx", 400),
            ("an extension without a semicolon", "1 x\r\na\r\n", 400),
            ("an extension without a name", "1;\r\na\r\n", 400),
            ("an extension of a value", "1;=x\r\na\r\n", 400),
            ("an extension without its value", "1;a=\r\na\r\n", 400),
            ("an extension of two values", "1;a=b c\r\na\r\n", 400),
            ("an extension with a control octet", "1;a=\u{1}\r\na\r\n", 400),
            ("an extension with a line feed", "1;a=b\nx\r\na\r\n", 400),
            ("an extension with an open quote", "1;a=\"b\r\na\r\n", 400),
            ("an extension with an escaped control octet", "1;a=\"\\\u{1}\"\r\na\r\n", 400),
            ("text behind a quote", "1;a=\"b\"c\r\na\r\n", 400),
            ("an endless extension", "1;" + String(repeating: "x", count: 256), 400),
            (
                "extensions without an end",
                String(
                    repeating: "1;" + String(repeating: "x", count: 200) + "\r\na\r\n", count: 100),
                400
            ),
            ("a trailer without a colon", "0\r\nX\r\n\r\n", 400),
            ("a trailer without a name", "0\r\n: x\r\n\r\n", 400),
            ("a trailer with a space before its colon", "0\r\nX : y\r\n\r\n", 400),
            ("a folded trailer", "0\r\nX: y\r\n z\r\n\r\n", 400),
            ("a control octet in a trailer", "0\r\nX: \u{0}\r\n\r\n", 400),
            ("a line feed in a trailer", "0\r\nX: y\n\r\n", 400),
            ("a carriage return in a trailer", "0\r\nX: y\rz\r\n\r\n", 400),
            ("a last line that does not end", "0\r\n\rx", 400),
            ("an endless trailer", "0\r\nX: " + String(repeating: "y", count: 16 << 10), 400),
            (
                "endless trailers",
                "0\r\n" + String(repeating: "X: y\r\n", count: (16 << 10) / 6 + 1), 400
            ),
        ].map { what, body, status in
            Case(
                what, status,
                lines("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") + body)
        }

    /// Request lines above 8 KiB, fields above 16 KiB, and more than 100 fields.
    static let sizes: [Case] = [
        Case("an endless request line", 414, "GET /" + String(repeating: "a", count: 8_188)),
        Case("a request line one byte too long", 414, lines(requestLine(8_193), "Host: a")),
        Case("a longer one that is also bad", 414, lines(requestLine(9_000) + "\u{0}", "Host: a")),
        Case("fields one byte too long", 431, lines("GET / HTTP/1.1", fields(16_385))),
        Case("an endless field", 431, "GET / HTTP/1.1\r\n" + String(repeating: "a", count: 16_385)),
        Case("101 fields", 431, lines("GET / HTTP/1.1", "Host: a", manyFields(100))),
    ]

    /// A request line of this length, including its line ending.
    static func requestLine(_ length: Int) -> String {
        "GET /" + String(repeating: "a", count: length - 16) + " HTTP/1.1"
    }

    /// `Host` and one more field, of this length in total, including line endings.
    static func fields(_ length: Int) -> String {
        "Host: a\r\nX: " + String(repeating: "b", count: length - 14)
    }

    static func manyFields(_ count: Int) -> String {
        (0..<count).map { "X\($0): y" }.joined(separator: "\r\n")
    }
}
