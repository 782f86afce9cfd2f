import BroadsheetHTTP
import Testing

@Suite struct RequestTargetTests {
    private func text(_ bytes: ArraySlice<UInt8>?) -> String? {
        bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        arguments: [
            ("/", .origin, "/", nil, nil), ("/a/b?c=d", .origin, "/a/b", "c=d", nil),
            ("/a?", .origin, "/a", "", nil), ("/?a?b", .origin, "/", "a?b", nil),
            ("//a", .origin, "//a", nil, nil), ("/http://x/", .origin, "/http://x/", nil, nil),
            ("http://x", .absolute, "/", nil, "x"), ("http://x?a", .absolute, "/", "a", "x"),
            ("HTTPS://x:1/a?b", .absolute, "/a", "b", "x:1"),
            ("http://[::1]:80/a", .absolute, "/a", nil, "[::1]:80"),
        ] as [(String, RequestTarget.Form, String, String?, String?)])
    func `a target is parsed into its parts`(
        target: String, form: RequestTarget.Form, path: String, query: String?, authority: String?
    ) throws {
        let read = try #require(RequestTarget(target.utf8))
        #expect(read.form == form)
        #expect(text(read.path) == path)
        #expect(text(read.query) == query)
        #expect(text(read.authority) == authority)
        #expect(read.description == target)
    }

    @Test(arguments: [
        "", "a", "a/b", "?a", "http:/x", "http:///a", "ftp://x/", "http://u@x/", "http://x:y/",
        "http://", "/a b", "/a#b", "/\"", "/<", "/\\", "/^", "/`", "/{a}", "/a|b", "/é", "/\u{7F}",
        "/\t", "**", "x:80",
    ])
    func `an invalid target is rejected`(target: String) {
        #expect(RequestTarget(target.utf8) == nil)
    }

    @Test(arguments: [
        ("/search?q=\"first+request\"", "/search?q=%22first+request%22"),
        ("/?a=<b>&c|d^e`{f}\\", "/?a=%3Cb%3E&c%7Cd%5Ee%60%7Bf%7D%5C"),
        ("/a?\"%22", "/a?%22%22"), ("http://x?|", "http://x?%7C"), ("/a?b?\"", "/a?b?%22"),
    ])
    func `a query has one spelling, whether or not its characters are encoded`(
        raw: String, encoded: String
    ) throws {
        let target = try #require(RequestTarget(raw.utf8))
        #expect(target.description == encoded)
        #expect(target == RequestTarget(encoded.utf8))
        #expect(encoded.hasSuffix("?" + (text(target.query) ?? "none")))
    }

    @Test(
        arguments: [
            ("/\"", .pathOctet(0x22), #"a raw " in its path: encode it as %22"#),
            ("/a\\b?c", .pathOctet(0x5C), #"a raw \ in its path: encode it as %5C"#),
            ("/{a}?\"", .pathOctet(0x7B), "a raw { in its path: encode it as %7B"),
            ("/?a b", .octet(0x20), "a raw space in its target: encode it as %20"),
            ("/a b", .octet(0x20), "a raw space in its target: encode it as %20"),
            ("/?\"#a", .octet(0x23), "a raw # in its target: encode it as %23"),
            ("/?a\u{1}", .octet(1), "a raw control character in its target: encode it as %01"),
            ("/?한", .octet(0xED), "a raw byte outside of ASCII in its target: encode it as %ED"),
            ("x", .form, "a request target that is invalid for its method"),
        ] as [(String, RequestTarget.ParsingError, String)])
    func `an error says which character to encode, and how`(
        target: String, error: RequestTarget.ParsingError, text: String
    ) {
        #expect(throws: error) { try RequestTarget(parsing: target.utf8) }
        #expect(error.description == text)
    }

    @Test func `an asterisk and an authority have their own forms`() throws {
        let star = try #require(RequestTarget("*".utf8, method: .options))
        #expect(star.form == .asterisk)
        #expect(star.query == nil)
        let authority = try #require(RequestTarget("x:80".utf8, method: .connect))
        #expect(authority.form == .authority)
        #expect(text(authority.authority) == "x:80")
        for bad in ["x", "/", "*", "http://x/", "x:", "x:99999"] {
            #expect(RequestTarget(bad.utf8, method: .connect) == nil)
        }
    }

    @Test(arguments: [
        ("/", [""]), ("/a", ["a"]), ("/a/", ["a", ""]), ("//a", ["", "a"]),
        ("/a%2Fb/c", ["a/b", "c"]),
        ("/%EA%B8%80", ["글"]), ("/a+b", ["a+b"]), ("/...", ["..."]), ("/.a/..b", [".a", "..b"]),
        ("http://x", [""]), ("/a?b/../c", ["a"]), ("/%252e", ["%2e"]),
    ])
    func `a path is split before it is decoded`(target: String, segments: [String]) throws {
        #expect(try #require(RequestTarget(target.utf8)).segments() == segments)
    }

    @Test(
        arguments: [
            ("/.", .dotSegment), ("/a/..", .dotSegment), ("/a/../b", .dotSegment),
            ("/%2e", .dotSegment), ("/%2E%2e/a", .dotSegment), ("/.%2e", .dotSegment),
            ("/%2", .encoding(.badEscape)), ("/%zz", .encoding(.badEscape)),
            ("/a%00", .encoding(.nul)), ("/%FF", .encoding(.invalidUTF8)),
            ("/%C0%AE", .encoding(.invalidUTF8)),
        ] as [(String, RequestTarget.PathError)])
    func `an ambiguous path is rejected`(
        target: String, error: RequestTarget.PathError
    ) throws {
        let target = try #require(RequestTarget(target.utf8))
        #expect(throws: error) { try target.segments() }
    }

    @Test func `a target is composed of a path and a query`() throws {
        let target = try #require(RequestTarget(path: "/a%20b", query: "c=d"))
        #expect(target.description == "/a%20b?c=d")
        #expect(RequestTarget(path: "/a b") == nil)
    }
}
