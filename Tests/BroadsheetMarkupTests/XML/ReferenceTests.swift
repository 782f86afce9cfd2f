import BroadsheetMarkup
import BroadsheetTestSupport
import Testing

/// URLs as browsers accept them, as URIs.
@Suite struct ReferenceTests {
    private static let base = "https://example.org/a/b?c#d"

    @Test(arguments: [
        ("https://example.org/a%2Fb/%5b?x=%41#y", "https://example.org/a%2Fb/%5b?x=%41#y"),
        ("HTTPS://EXAMPLE.Org/A", "https://example.org/A"),
        ("https://a.example", "https://a.example"),
        ("https://a.example:443/", "https://a.example/"),
        ("http://a.example:080/", "http://a.example/"),
        ("http://a.example:8080/", "http://a.example:8080/"),
        ("http://a.example:/x", "http://a.example/x"),
        (
            "https://a.example/p[1]?f[x]=|^`{}\"<>",
            "https://a.example/p%5B1%5D?f%5Bx%5D=%7C%5E%60%7B%7D%22%3C%3E"
        ),
        ("https://a.example/100%/%zz/%4", "https://a.example/100%25/%25zz/%254"),
        ("https://a.example/a b/글#é#f", "https://a.example/a%20b/%EA%B8%80#%C3%A9%23f"),
        (" \n\u{1}https://a.example/a\n b\t/c \u{0}", "https://a.example/a%20b/c"),
        ("https:\\\\a.example\\b\\c?d\\e", "https://a.example/b/c?d%5Ce"),
        ("https:///a.example/b", "https://a.example/b"), ("http:a.example", "http://a.example"),
        ("https://www.käse.example/", "https://www.xn--kse-qla.example/"),
        ("https://FASS.Straße.example/", "https://fass.xn--strae-oqa.example/"),
        ("https://例え。テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ("https://k%C3%A4se.example/", "https://xn--kse-qla.example/"),
        ("https://ｅｘａｍｐｌｅ.org/", "https://example.org/"),
        ("https://[2001:DB8::1]:443/x", "https://[2001:db8::1]/x"),
        ("https://u:p@a.example/", "https://u:p@a.example/"),
    ])
    func `an absolute URL is written as a URI`(reference: String, url: String) {
        #expect(Reference.resolve(reference, against: nil) == url)
        #expect(
            Reference.resolve(reference, against: "http://other.example/") == url
                || reference == "http:a.example")
        #expect(Reference.resolve(url, against: nil) == url)
    }

    @Test(arguments: [
        ("", "https://example.org/a/b?c"), ("#x", "https://example.org/a/b?c#x"),
        ("?x[]", "https://example.org/a/b?x%5B%5D"), ("x", "https://example.org/a/x"),
        ("/x[1]", "https://example.org/x%5B1%5D"), ("../x/./y/..", "https://example.org/x/"),
        ("../../../x", "https://example.org/x"), ("./", "https://example.org/a/"),
        ("%2E%2e/x", "https://example.org/x"), ("//other.example/y", "https://other.example/y"),
        ("\\x\\y", "https://example.org/x/y"), ("\\\\KÄSE.example", "https://xn--kse-qla.example"),
        ("https:x", "https://example.org/a/x"), ("a%2Fb%", "https://example.org/a/a%2Fb%25"),
        ("x?y=https://z/../w", "https://example.org/a/x?y=https://z/../w"),
        ("mailto:a@b.example", "mailto:a@b.example"), ("urn:x:[y]", "urn:x:[y]"),
    ])
    func `a relative reference is resolved`(reference: String, url: String) {
        #expect(Reference.resolve(reference, against: Self.base) == url)
    }

    @Test(arguments: [
        "x", "/x", "//a.example/", "", "https://", "https:///", "http://a b/",
        "http://a.example:x/",
        "http://a.example:1:2/", "http://a<b/", "http://a%00/", "http://a%ff/", "http://evil／x/",
        "http://\u{AD}/", "http://a%2Fb/", "http://xn--\u{FFFD}/",
        "https://b%C3%BCcher.example%00.evil.example/", "https://bücher.example%00/",
        "https://bücher\u{0}.example/", "http://[2001:db8\u{FFFD}1]/",
        "https://b%C3%BCcher.example%2F.evil.example/",
        "https://b%C3%BCcher%7F.example/", "https://b%C3%BCcher%20.example/",
    ])
    func `what has no base or no valid host is none`(reference: String) {
        #expect(Reference.resolve(reference, against: nil) == nil)
    }

    @Test func `a base of another scheme has no relative references, and a relative one has`() {
        #expect(Reference.resolve("x", against: "urn:a:b") == nil)
        #expect(Reference.resolve("x[]", against: "/a/b") == "/a/x%5B%5D")
        #expect(Reference.resolve("../x", against: "a/b") == "a/../x")
        #expect(Reference.resolve("?q", against: "a/b") == "a/b?q")
    }

    @Test func `the cost of a URL is linear in its length`() {
        let path = String(repeating: "../[x]/%/ü", count: 1_000)
        let growth = growth(from: path, to: String(repeating: path, count: 8)) { path in
            #expect(Reference.resolve(path, against: Self.base) != nil)
        }
        #expect(growth < 16)
    }
}
