import BroadsheetTestSupport

/// Streams of valid requests, with the body of each.
enum AcceptedRequests {
    struct Case: Sendable, CustomStringConvertible {
        let what: String
        let text: String
        let bodies: [String]

        init(_ what: String, _ text: String, _ bodies: [String] = [""]) {
            self.what = what
            self.text = text
            self.bodies = bodies
        }

        var description: String { what }
    }

    static let all = heads + targets + hosts + bodies + sizes

    static let heads: [Case] = [
        Case("the smallest request of 1.1", lines("GET / HTTP/1.1", "Host: a")),
        Case("the smallest request of 1.0", lines("GET / HTTP/1.0")),
        Case("empty lines before", "\r\n\r\n\r\n\r\n" + lines("GET / HTTP/1.1", "Host: a")),
        Case("a method of its own", lines("BREW! / HTTP/1.1", "Host: a")),
        Case("a method in lower case is another one", lines("get / HTTP/1.1", "Host: a")),
        Case("fields without white space", lines("GET / HTTP/1.1", "Host:a", "X:y")),
        Case("fields with much of it", lines("GET / HTTP/1.1", "Host: \t a \t ", "X: \t")),
        Case("obsolete text in a value", lines("GET / HTTP/1.1", "Host: a", "X: 한국")),
        Case(
            "every mark that a name may have",
            lines("GET / HTTP/1.1", "Host: a", "!#$%&'*+-.^_`|~9: x")),
        Case("an expectation from 1.0 is ignored", lines("GET / HTTP/1.0", "Expect: y")),
        Case(
            "a doubled expectation",
            lines("GET / HTTP/1.1", "Host: a", "Expect: 100-continue", "Expect: 100-continue")),
    ]

    static let targets: [Case] = [
        "GET /a/b;c=d?e=f&g=%20[] HTTP/1.1", "GET http://a HTTP/1.1", "GET http://a?x=y HTTP/1.1",
        "GET HTTPS://a:443/b?c HTTP/1.1", "GET http://[::1]:80/ HTTP/1.1", "CONNECT a:443 HTTP/1.1",
        "CONNECT [::1]:443 HTTP/1.1", "OPTIONS * HTTP/1.1", "OPTIONS / HTTP/1.1", "GET // HTTP/1.1",
        "GET /?q=\"a|b\"<>{}^`\\ HTTP/1.1",
    ].map { Case($0, lines($0, "Host: a")) }

    static let hosts: [Case] = [
        "a", "a:", "a:80", "a:00080", "a:65535", "127.0.0.1:8080", "[::1]", "[::1]:80", "[::]",
        "[1:2:3:4:5:6:7:8]", "[1::8]", "[::ffff:127.0.0.1]", "[2001:DB8::1]", "xn--9n2bp8q.example",
        "a_b-c.~", "a,b", "%ED%95%9C.example", "A.EXAMPLE",
    ].map { Case("Host of \($0)", lines("GET / HTTP/1.1", "Host: \($0)")) }

    static let bodies: [Case] = [
        Case("a length", lines("POST / HTTP/1.1", "Host: a", "Content-Length: 3") + "abc", ["abc"]),
        Case("a length of 0", lines("POST / HTTP/1.1", "Host: a", "Content-Length: 0")),
        Case(
            "a length with zeros",
            lines("POST / HTTP/1.1", "Host: a", "Content-Length: 003") + "abc", ["abc"]),
        Case(
            "the same length again",
            lines("POST / HTTP/1.1", "Host: a", "Content-Length: 3, 3", "content-length: 3")
                + "abc", ["abc"]),
        Case("a body of GET", lines("GET / HTTP/1.1", "Host: a", "Content-Length: 1") + "x", ["x"]),
        Case("a body in 1.0", lines("POST / HTTP/1.0", "Content-Length: 1") + "x", ["x"]),
        Case("POST without a body", lines("POST / HTTP/1.1", "Host: a")),
        chunked("no chunk", "0\r\n\r\n", ""),
        chunked("zeros", "000\r\n\r\n", ""),
        chunked("chunks", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde"),
        chunked(
            "sizes in both cases", "A\r\n0123456789\r\n00a\r\n0123456789\r\n0\r\n\r\n",
            "01234567890123456789"),
        chunked("data that looks like chunks", "5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"),
        chunked("extensions", "1;a;b=c ; d = \"e;\\\" f\\\\\"\t;g\r\nx\r\n0;last\r\n\r\n", "x"),
        chunked("an empty quoted value", "1;a=\"\"\r\nx\r\n0\r\n\r\n", "x"),
        chunked(
            "trailers, dropped", "1\r\nx\r\n0\r\nX: y\r\nContent-Length: 9\r\nEmpty:\r\n\r\n", "x"),
        Case(
            "a coding in capitals",
            lines("POST / HTTP/1.1", "Host: a", "TRANSFER-ENCODING:  ChunKed\t") + "0\r\n\r\n"),
        Case(
            "three in a row",
            lines("POST /1 HTTP/1.1", "Host: a", "Content-Length: 3") + "abc"
                + lines("GET /2 HTTP/1.1", "Host: a") + "\r\n"
                + lines("PUT /3 HTTP/1.1", "Host: a", "Transfer-Encoding: chunked")
                + "1\r\nx\r\n0\r\n\r\n", ["abc", "", "x"]),
    ]

    static let sizes: [Case] = [
        Case("the longest request line", lines(RejectedRequests.requestLine(8_192), "Host: a")),
        Case(
            "it, behind empty lines",
            "\r\n\r\n" + lines(RejectedRequests.requestLine(8_192), "Host: a")),
        Case("the longest fields", lines("GET / HTTP/1.1", RejectedRequests.fields(16_384))),
        Case("100 fields", lines("GET / HTTP/1.1", "Host: a", RejectedRequests.manyFields(99))),
        chunked(
            "the longest trailers",
            "0\r\nX: " + String(repeating: "y", count: (16 << 10) - 7) + "\r\n\r\n", ""),
    ]

    private static func chunked(_ what: String, _ body: String, _ decoded: String) -> Case {
        Case(
            what, lines("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") + body,
            [decoded])
    }
}
