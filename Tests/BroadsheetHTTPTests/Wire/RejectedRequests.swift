import BroadsheetTestSupport

/// Requests that are rejected, with the status of each.
enum RejectedRequests {
    struct Case: Sendable, CustomStringConvertible {
        let what: String
        let status: Int
        let text: String

        init(_ what: String, _ status: Int, _ text: String) {
            self.what = what
            self.status = status
            self.text = text
        }

        var description: String { what }
    }

    static let all =
        requestLines + targets + fieldLines + hosts + lengths + codings + chunks + sizes

    /// RFC 9112 §2.2, §2.3, §3
    static let requestLines: [Case] = [
        Case("a line feed alone ends the request line", 400, "GET / HTTP/1.1\nHost: a\r\n\r\n"),
        Case("a carriage return in the request line", 400, "GET /\rx HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a line feed first", 400, "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a NUL in the target", 400, "GET /\u{0} HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a tab between the parts", 400, lines("GET\t/ HTTP/1.1", "Host: a")),
        Case("two spaces behind the method", 400, lines("GET  / HTTP/1.1", "Host: a")),
        Case("two spaces behind the target", 400, lines("GET /  HTTP/1.1", "Host: a")),
        Case("a space behind the version", 400, lines("GET / HTTP/1.1 ", "Host: a")),
        Case("a space before the method", 400, lines(" GET / HTTP/1.1", "Host: a")),
        Case("a method alone", 400, lines("GET", "Host: a")),
        Case("no version, as in HTTP/0.9", 400, lines("GET /")),
        Case("a fourth part", 400, lines("GET / x HTTP/1.1", "Host: a")),
        Case("a method with a separator", 400, lines("GE(T / HTTP/1.1", "Host: a")),
        Case("a method with a letter of Unicode", 400, lines("GÉT / HTTP/1.1", "Host: a")),
        Case("an endless method", 501, lines(String(repeating: "A", count: 33) + " / HTTP/1.1")),
        Case(
            "an endless bad method", 400, lines(String(repeating: "@", count: 33) + " / HTTP/1.1")),
        Case("HTTP/2 in the text form", 505, lines("GET / HTTP/2.0", "Host: a")),
        Case("the preface of HTTP/2", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Case("HTTP/0.9 by its name", 505, lines("GET / HTTP/0.9", "Host: a")),
        Case("HTTP/9.1", 505, lines("GET / HTTP/9.1", "Host: a")),
        Case("a version in lower case", 400, lines("GET / http/1.1", "Host: a")),
        Case("a version without a minor one", 400, lines("GET / HTTP/1", "Host: a")),
        Case("a version of two digits", 400, lines("GET / HTTP/1.10", "Host: a")),
        Case("a version with a comma", 400, lines("GET / HTTP/1,1", "Host: a")),
        Case("another protocol", 400, lines("GET / HTCP/1.1", "Host: a")),
        Case(
            "five empty lines before", 400,
            "\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a greeting of TLS", 400, "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}"),
    ]

    /// RFC 9112 §3.2
    static let targets: [Case] = [
        Case("no slash", 400, lines("GET articles HTTP/1.1", "Host: a")),
        Case("an asterisk with GET", 400, lines("GET * HTTP/1.1", "Host: a")),
        Case("an asterisk and more", 400, lines("OPTIONS *x HTTP/1.1", "Host: a")),
        Case("an authority with GET", 400, lines("GET a:80 HTTP/1.1", "Host: a")),
        Case("a path with CONNECT", 400, lines("CONNECT / HTTP/1.1", "Host: a")),
        Case("CONNECT without a port", 400, lines("CONNECT a HTTP/1.1", "Host: a")),
        Case("another scheme", 400, lines("GET ftp://a/ HTTP/1.1", "Host: a")),
        Case("a scheme without a host", 400, lines("GET http:/// HTTP/1.1", "Host: a")),
        Case("user information", 400, lines("GET http://me@a/ HTTP/1.1", "Host: a")),
        Case("a fragment", 400, lines("GET /#top HTTP/1.1", "Host: a")),
        Case("a backslash", 400, lines("GET /\\x HTTP/1.1", "Host: a")),
        Case("letters that are not escaped", 400, lines("GET /한 HTTP/1.1", "Host: a")),
        Case("such letters in a query", 400, lines("GET /?q=한 HTTP/1.1", "Host: a")),
        Case("a quotation mark in a path", 400, lines("GET /\"?q HTTP/1.1", "Host: a")),
        Case("a space in a query", 400, lines("GET /?q=\"a b\" HTTP/1.1", "Host: a")),
        Case("a fragment behind a query", 400, lines("GET /?q=\"a\"#b HTTP/1.1", "Host: a")),
    ]

    /// RFC 9112 §5, RFC 9110 §5.5
    static let fieldLines: [Case] = [
        Case("a space before the colon", 400, lines("GET / HTTP/1.1", "Host : a")),
        Case("a tab before the colon", 400, lines("GET / HTTP/1.1", "Host\t: a")),
        Case("a folded line", 400, lines("GET / HTTP/1.1", "Host: a", " b")),
        Case("a line folded by a tab", 400, lines("GET / HTTP/1.1", "Host: a", "\tb")),
        Case("white space before the first field", 400, lines("GET / HTTP/1.1", " Host: a")),
        Case("a field without a colon", 400, lines("GET / HTTP/1.1", "Host: a", "Accept")),
        Case("a field without a name", 400, lines("GET / HTTP/1.1", "Host: a", ": x")),
        Case("a separator in a name", 400, lines("GET / HTTP/1.1", "Host: a", "a/b: x")),
        Case("a letter of Unicode in a name", 400, lines("GET / HTTP/1.1", "Host: a", "ä: x")),
        Case("a NUL in a value", 400, lines("GET / HTTP/1.1", "Host: a", "X: a\u{0}b")),
        Case("an escape in a value", 400, lines("GET / HTTP/1.1", "Host: a", "X: a\u{1B}b")),
        Case("a delete in a value", 400, lines("GET / HTTP/1.1", "Host: a", "X: a\u{7F}b")),
        Case("a carriage return in a value", 400, lines("GET / HTTP/1.1", "Host: a", "X: a\rb")),
        Case("a line feed ends a field", 400, "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"),
        Case("a line feed ends the head", 400, "GET / HTTP/1.1\r\nHost: a\r\n\n"),
        Case("another expectation", 417, lines("GET / HTTP/1.1", "Host: a", "Expect: 200-ok")),
        Case(
            "one more expectation", 417,
            lines("GET / HTTP/1.1", "Host: a", "Expect: 100-continue, x")),
    ]

    /// RFC 9112 §3.2, RFC 9110 §7.2
    static let hosts: [Case] =
        [Case("no Host", 400, lines("GET / HTTP/1.1", "Accept: x"))]
        + [Case("no field at all", 400, lines("GET / HTTP/1.1"))]
        + [Case("two Hosts", 400, lines("GET / HTTP/1.1", "Host: a", "host: a"))]
        + [Case("two Hosts in 1.0", 400, lines("GET / HTTP/1.0", "Host: a", "Host: b"))]
        + [
            "", "a b", "a/b", "a?b", "a#b", "me@a", "a:b", "a:65536", "a:-1", "a:80:80",
            ":80",
            "[::1", "::1", "[]", "[1:2]", "[:::]", "[1::2::3]", "[1:2:3:4:5:6:7:8:9]", "[12345::]",
            "[::1.2.3]", "[::1.2.3.256]", "[fe80::1%25eth0]", "[::1]x", "%", "%4", "%zz",
            "ä.example",
            "http://a",
        ].map { host in
            Case("Host of \(host)", 400, lines("GET / HTTP/1.1", "Host: \(host)"))
        }

    /// RFC 9110 §8.6, RFC 9112 §6.3
    static let lengths: [Case] =
        [
            "", "x", "-1", "+1", "1x", "0x1", "1 2", "1.0", "1e1", "1,", ",1", "1,2", "1, 2",
            "9223372036854775808", "99999999999999999999", "\u{661}",
        ].map { length in
            Case(
                "Content-Length of \(length)", 400,
                lines("POST / HTTP/1.1", "Host: a", "Content-Length: \(length)") + "ab")
        }
        + [
            Case(
                "two different lengths", 400,
                lines("POST / HTTP/1.1", "Host: a", "Content-Length: 1", "content-length: 2")),
            Case(
                "a length beside chunks", 400,
                lines(
                    "POST / HTTP/1.1", "Host: a", "Content-Length: 5",
                    "Transfer-Encoding: chunked") + "0\r\n\r\n"),
            Case(
                "chunks beside a length", 400,
                lines(
                    "POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked",
                    "Content-Length: 0") + "0\r\n\r\n"),
            Case(
                "a length beyond the limit", 413,
                lines("POST / HTTP/1.1", "Host: a", "Content-Length: 3145729")),
            Case(
                "the longest length", 413,
                lines("POST / HTTP/1.1", "Host: a", "Content-Length: 9223372036854775807")),
        ]

    /// RFC 9112 §6.1, §7
    static let codings: [Case] =
        [
            ("", 400), (",", 400), ("chunked,", 400), (",chunked", 400), ("chunked, chunked", 400),
            ("chunked;q=1", 400), ("\"chunked\"", 400), ("chu nked", 400), ("=", 400),
            ("gzip", 501), ("gzip, chunked", 501), ("chunked, gzip", 400),
            ("chunked, identity", 400), ("identity", 501),
            ("xchunked", 501), ("chunkedx", 501), ("gzip;level=9, chunked", 501),
            // To Unicode, the lower case of a Kelvin sign is k; to HTTP, it is not a letter.
            ("chun\u{212A}ed", 400), ("chunked,\u{301}", 400), ("chunked\u{A0}", 400),
        ].map { coding, status in
            Case(
                "Transfer-Encoding of \(coding)", status,
                lines("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: \(coding)") + "0\r\n\r\n")
        }
        + [
            Case(
                "chunked on two lines", 400,
                lines(
                    "POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked",
                    "Transfer-Encoding: chunked") + "0\r\n\r\n"),
            Case(
                "chunks in 1.0", 400,
                lines("POST / HTTP/1.0", "Host: a", "Transfer-Encoding: chunked") + "0\r\n\r\n"),
        ]
}
