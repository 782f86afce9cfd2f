import BroadsheetHTTP
import Testing

@Suite struct LinkTests {
    @Test func `a link is serialized according to RFC 8288 and parsed again`() throws {
        let link = try #require(WebLink(target: "/v1/articles?cursor=a%20b", relation: "next"))
        #expect(link.description == "</v1/articles?cursor=a%20b>; rel=\"next\"")
        #expect(WebLink.links(in: link.description) == [link])
    }

    @Test(
        arguments: [
            ("</a>; rel=next", [["/a", "next"]]),
            ("</a>;rel=\"next\"", [["/a", "next"]]),
            ("</a> ; REL = \"next\"", [["/a", "next"]]),
            ("</a>; rel=next; rel=prev", [["/a", "next"]]),
            ("</a>; title=\"x, <y>; rel=\\\"z\\\"\"; rel=next", [["/a", "next"]]),
            ("</a;b,c>; rel=next, </d>; rel=prev", [["/a;b,c", "next"], ["/d", "prev"]]),
            (", ,</a>; rel=next,,", [["/a", "next"]]),
            ("<>; rel=self", [["", "self"]]),
            ("</a>; rel=next; crossorigin", [["/a", "next"]]),
            ("</a>", []), ("</a>; rel", []), ("</a>; rel=\"\"", []), ("/a; rel=next", []),
            ("</a; rel=next", []), ("</a>; rel=\"next", []), ("", []),
            ("</a>; anchor=\"/b\"; rel=next", []), ("<a b>; rel=next", []),
            ("</a>; rel=next x, </b>; rel=prev", [["/b", "prev"]]),
            ("garbage \"quo,ted\", </b>; rel=prev", [["/b", "prev"]]),
        ] as [(String, [[String]])])
    func `the links of a field are parsed`(text: String, links: [[String]]) {
        #expect(WebLink.links(in: text).map { [$0.target, $0.relation] } == links)
    }

    @Test(arguments: [
        ("/a b", "next"), ("/a>", "next"), ("/ä", "next"), ("/a\r\nX: y", "next"),
        ("/a", ""), ("/a", " "), ("/a", "ne\"xt"), ("/a", "next\r\n"),
    ])
    func `a link rejects invalid octets`(target: String, relation: String) {
        #expect(WebLink(target: target, relation: relation) == nil)
    }

    @Test func `one of several relation types is found, ignoring case`() throws {
        let link = try #require(WebLink.links(in: "</a>; rel=\"Next http://x.example/rel\"").first)
        #expect(link.has(relation: "next"))
        #expect(link.has(relation: "http://x.example/rel"))
        #expect(!link.has(relation: "prev"))
    }
}
