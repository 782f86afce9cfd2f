import BroadsheetHTTP
import Testing

@Suite struct MediaTypeTests {
    @Test(arguments: [
        ("application/json", "application", "json", [] as [[String]]),
        ("Application/JSON", "application", "json", []),
        (" text/html ", "text", "html", []),
        ("text/html; charset=utf-8", "text", "html", [["charset", "utf-8"]]),
        ("text/html;Charset=\"utf-8\"", "text", "html", [["charset", "utf-8"]]),
        ("text/html ; a=1 ;; b=2;", "text", "html", [["a", "1"], ["b", "2"]]),
        ("a/b;t=\"x;y,z\"", "a", "b", [["t", "x;y,z"]]),
        ("a/b;t=\"q\\\"q\\\\\"", "a", "b", [["t", "q\"q\\"]]),
        ("a/b;t=\"\"", "a", "b", [["t", ""]]),
        ("application/merge-patch+json", "application", "merge-patch+json", []),
    ])
    func `a media type is parsed with its parameters`(
        text: String, type: String, subtype: String, parameters: [[String]]
    ) throws {
        let read = try #require(MediaType(text))
        #expect(read.type == type)
        #expect(read.subtype == subtype)
        #expect(read.parameters.map { [$0.name, $0.value] } == parameters)
    }

    @Test(arguments: [
        "", " ", "json", "/json", "application/", "application /json", "application/ json",
        "a/b c", "a/b;c", "a/b;c=", "a/b;=d", "a/b;c =d", "a/b;c= d", "a/b;c=\"d", "a/b;c=d e",
        "a/b, c/d", "a/b;c=\"d\"e", "ä/b", "a/b\u{301}",
    ])
    func `an invalid media type is rejected`(text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test(arguments: [
        "a/b", "a/b;c=d", "a/b;c=\"d e\";f=g", "a/b;c=\"q\\\"\\\\q\"", "a/b;c=\"\"",
    ])
    func `a media type round-trips`(text: String) throws {
        let type = try #require(MediaType(text))
        #expect(type.description == text)
        #expect(MediaType(type.description) == type)
    }

    @Test func `a parameter is found by its name in lower case`() throws {
        let type = try #require(MediaType("text/plain; Charset=UTF-8"))
        #expect(type.parameter("charset") == "UTF-8")
        #expect(type.parameter("format") == nil)
        #expect(type.is("text/plain"))
        #expect(!type.is("text/html"))
    }
}
