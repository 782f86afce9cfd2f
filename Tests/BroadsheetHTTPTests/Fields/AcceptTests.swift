import BroadsheetHTTP
import Testing

@Suite struct AcceptTests {
    @Test(
        arguments: [
            (nil, 1000), ("", 1000), (" , ,", 1000), ("*/*", 1000), ("application/*", 1000),
            ("application/json", 1000), ("APPLICATION/Json", 1000), ("text/html", 0), ("text/*", 0),
            ("application/json;q=0", 0), ("application/json;q=0.000", 0), ("*/*;q=0.1", 100),
            ("application/json;q=0.5", 500), ("application/json;Q=0.25", 250),
            ("application/json;q=1.000", 1000), ("application/json;q=0.001", 1),
            // The most specific range decides, at any position.
            ("*/*, application/json;q=0", 0), ("application/json;q=0, */*", 0),
            ("application/*;q=0.2, */*;q=0.9", 200), ("text/html, */*;q=0.3", 300),
            // Parameters must be equal, except for one that JSON does not have.
            ("application/json;version=2", 0), ("application/json;charset=utf-8", 1000),
            // A weight in a quoted string is ignored; a comma there does not end an element.
            ("text/html;a=\"application/json, */*\"", 0),
            ("a/b;x=\",;q=0\", application/json;q=0.7", 700),
        ] as [(String?, Int)])
    func `an Accept value determines the weight of JSON`(text: String?, quality: Int) throws {
        let json = try #require(MediaType("application/json"))
        #expect(Accept(text).quality(of: json) == quality)
        #expect(json.isAccepted(by: text) == (quality > 0))
    }

    @Test(arguments: [
        ("q=1.001", 1000), ("q=2", 1000), ("q=17.5", 1000), ("q=", 1000), ("q=.5", 500),
        ("q=.25", 250), ("q=0.1234", 123), ("q=0.00001", 1), ("q=00.5", 500), ("q=1.", 1000),
        ("q=.", 1000), ("q=inf", 1000), ("q=-1", 1000), ("q=1e0", 1000), ("q=0.5.1", 1000),
        ("q = 0.5", 500), ("q", 1000), ("a;q=.5", 500), ("q=\"0.5\"", 500), ("q=0.0000", 0),
        ("q=.0", 0),
    ])
    func `a range with an invalid weight counts`(weight: String, quality: Int) throws {
        let json = try #require(MediaType("application/json"))
        #expect(
            Accept("text/html, application/json;\(weight), a/b").quality(of: json) == quality)
    }

    @Test func `an asterisk stands for every type, as old Java has it`() throws {
        let java = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"
        for (text, quality) in [(java, 200), ("*", 1000), ("a/b, *;q=0.3", 300), ("*;q=0", 0)] {
            let json = try #require(MediaType("application/json"))
            #expect(Accept(text).quality(of: json) == quality, "\(text)")
        }
        let html = try #require(MediaType("text/html"))
        #expect(Accept(java).quality(of: html) == 1000)
    }

    @Test(arguments: [
        ("application/rss+xml", "application/xml", 1000),
        ("application/atom+xml", "text/xml", 1000),
        ("application/feed+json", "application/json;q=0.4", 400),
        ("application/rss+xml", "text/xml;q=0.2, application/*;q=0.9", 200),
        ("application/rss+xml", "application/xml;q=0, application/rss+xml", 1000),
        ("application/rss+xml", "text/html, application/json", 0),
        ("application/xml", "application/rss+xml", 0), ("application/feed+json", "text/json", 0),
    ])
    func `a type is acceptable as the format of its suffix`(
        type: String, accept: String, quality: Int
    ) throws {
        #expect(Accept(accept).quality(of: try #require(MediaType(type))) == quality)
    }

    @Test func `a value without a valid element is ignored`() throws {
        let json = try #require(MediaType("application/json"))
        #expect(json.isAccepted(by: "json"))
        #expect(json.isAccepted(by: "\"open"))
        #expect(json.isAccepted(by: "text html, ???"))
    }

    @Test func `invalid elements do not affect valid ones`() throws {
        let json = try #require(MediaType("application/json"))
        #expect(!json.isAccepted(by: "a b c, text/html"))
        #expect(json.isAccepted(by: "a b c, application/json"))
        #expect(json.isAccepted(by: "x/y;a=\"b, application/json"))
    }

    @Test func `the best offer has the highest weight`() throws {
        let offers = try ["application/json", "text/html", "text/html;level=1"].map {
            try #require(MediaType($0))
        }
        #expect(Accept(nil).best(of: offers) == offers[0])
        #expect(Accept("text/html, */*;q=0.5").best(of: offers) == offers[1])
        #expect(Accept("text/html;q=0.4, text/html;level=1").best(of: offers) == offers[2])
        #expect(Accept("text/plain").best(of: offers) == nil)
        #expect(Accept("*/*;q=0").best(of: offers) == nil)
    }

    @Test func `a parameter is matched by its value`() throws {
        let level = try #require(MediaType("text/html;level=1"))
        #expect(level.isAccepted(by: "text/html"))
        #expect(level.isAccepted(by: "text/html;level=1;q=0.5;ext=2"))
        #expect(!level.isAccepted(by: "text/html;level=2"))
        #expect(Accept("text/html;level=1;q=0.3, text/html").quality(of: level) == 300)
    }
}
