import ArticleAPI
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

@Suite struct FrontMatterTests {
    private func read(_ yaml: String) throws(FrontMatterError) -> FrontMatter {
        try FrontMatter(FrontMatterNode.mapping(of: Array(yaml.utf8)[...], firstLine: 2))
    }

    @Test(arguments: [
        ("open", CommentPolicy.open), ("moderated", .moderated), ("closed", .closed),
        ("false", .closed), ("no", .closed), ("\"off\"", .closed), ("true", nil), ("disqus", nil),
        ("", nil),
    ])
    func `comments are open, moderated or closed`(text: String, policy: CommentPolicy?) throws {
        #expect(try read("comments: \(text)").comments == policy)
    }

    @Test(arguments: [
        ("2016-1-29", "2016-01-29T00:00:00.000Z"),
        ("2016-02-01 18:00:00", "2016-02-01T18:00:00.000Z"),
        ("2016-02-01 9:00", "2016-02-01T09:00:00.000Z"),
        ("2016-02-01 18:00:00 +0900", "2016-02-01T09:00:00.000Z"),
        ("2016-02-01 18:00:00+09:00", "2016-02-01T09:00:00.000Z"),
        ("2016-02-01 18:00 -05", "2016-02-01T23:00:00.000Z"),
        ("2016-02-29T23:59:59.98765Z", "2016-02-29T23:59:59.987Z"),
        ("2016-12-31 12:00:00 UTC", "2016-12-31T12:00:00.000Z"),
        ("\"2000-2-29\"", "2000-02-29T00:00:00.000Z"),
        // As Ruby reads them for Jekyll.
        ("2017-08-16 16:38 CDT", "2017-08-16T21:38:00.000Z"),
        ("Sep 3, 2020", "2020-09-03T00:00:00.000Z"), ("2020/09/03", "2020-09-03T00:00:00.000Z"),
        ("3 September 2020 05:17 PM", "2020-09-03T17:17:00.000Z"),
        ("2001-12-14 21:59:43.10 -5", "2001-12-15T02:59:43.100Z"),
        ("Thu, 03 Sep 2020 17:17:00 +0900", "2020-09-03T08:17:00.000Z"),
        ("2020-09-03 12:05 AM PST", "2020-09-03T08:05:00.000Z"),
    ])
    func `dates are parsed in the formats found in posts`(text: String, expected: String) throws {
        #expect(try read("date: \(text)").date?.description == expected)
    }

    @Test(arguments: [
        "2016-02-30", "2015-02-29", "1900-02-29", "2016-1-2 25:00", "2016-1-2 10:60",
        "2016-1-2 10:00:00:00", "2016-1-2 10:00 +090", "2016-1-2 10:00 XYZ", "yesterday",
        "2016-1-2-3", "2016-1-2 1a:00", "03/04/2020", "0000-1-1 00:00 +23:00", "never",
    ])
    func `an invalid date makes a draft, and is noted with its line`(text: String) throws {
        let front = try read("title: A\ndate: \(text)\n")
        #expect(front.status == .draft && front.date == nil)
        #expect(front.notes == [.init(line: 3, text: "date is not a date", makesDraft: true)])
    }

    @Test(arguments: [
        ("a: 1\nb: 2\na: 3", 4, FrontMatterError.Reason.duplicateKey("a")),
        ("x:\n  a: 1\n  a: 3", 4, .duplicateKey("a")),
        ("a: &x 1", 2, .reference),
        ("a: 1\nb: *x", 3, .reference),
        ("a: &x [1]", 2, .reference),
        ("a: 1\nb: &x {c: 1}", 3, .reference),
        ("&x a: 1", 2, .reference),
        ("- a\n- b", 2, .notMapping),
        ("only text", 2, .notMapping),
        ("? [a]\n: 1", 2, .badKey),
        ("title: A\ntitle [\n", 4, .malformed("could not find expected ':'")),
        ("title: A: B", 2, .malformed("mapping values are not allowed in this context")),
        ("a: 1\nb: \u{1}", 3, .malformed("control characters are not allowed")),
        ("a: 1\n--- x\nb: 2", 3, .malformed("there is a second document")),
        ("a: 1\ntitle: [x]", 3, .invalidValue(key: "title", expected: "a string")),
        ("lang: Korean language", 2, .invalidValue(key: "lang", expected: "a language tag")),
        (
            "author:\n  - [x]", 3,
            .invalidValue(key: "author", expected: "a name or a list of names")
        ),
        ("tags: {a: b}", 2, .invalidValue(key: "tags", expected: "a string or a list of strings")),
    ])
    func `a fault is reported with its line`(
        yaml: String, line: Int, reason: FrontMatterError.Reason
    ) {
        #expect(throws: FrontMatterError(line: line, reason: reason)) { try read(yaml) }
    }

    @Test(arguments: ["\r\r", "\u{85}", "\u{2028}\u{2029}", "\r\n\n"])
    func `only line feeds count as line breaks in faults`(mark: String) {
        let breaks = mark.utf8.count { $0 == 0x0A }
        #expect(throws: FrontMatterError(line: 3 + breaks, reason: .reference)) {
            try read("summary: 'a\(mark)b'\ntitle: *c")
        }
    }

    @Test func `duplicate lines are accepted`() throws {
        let front = try read("published: false\ntitle: A\npublished: false\ntitle: 'A'")
        #expect(front.title == "A")
        #expect(front.status == .draft)
        #expect(throws: FrontMatterError(line: 3, reason: .duplicateKey("tags"))) {
            try read("tags: [a]\ntags: [a]")
        }
    }

    @Test func `sixteen levels are accepted and one more is rejected`() throws {
        func nested(_ levels: Int) -> String {
            "a: " + String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        _ = try read(nested(15))
        #expect(throws: FrontMatterError(line: 2, reason: .tooDeep)) { try read(nested(16)) }
        #expect(throws: FrontMatterError(line: 2, reason: .tooDeep)) { try read(nested(30_000)) }
    }

    @Test(arguments: [
        ("tags: a, b c,,d", ["a", "b c", "d"]),
        ("tags: a  b\tc", ["a", "b", "c"]),
        ("category: Developer Tools", ["Developer Tools"]),
        ("categories: [Seoul, '', ~, Travel]\ntags: seoul food", ["Seoul", "Travel", "food"]),
        ("tag: one\ntags:\n- two words\n", ["one", "two words"]),
        ("tags:", []),
    ])
    func `tags are a string or a list`(yaml: String, tags: [String]) throws {
        #expect(try read(yaml).tags == tags)
    }

    @Test(arguments: [
        ("slug: hello", "hello"), ("permalink: /a/b/", "b"), ("permalink: b.html", "b"),
        ("permalink: /:year/:title", nil), ("permalink: /", nil), ("slug: x\npermalink: /y", "x"),
        ("permalink: /bread/index.html", "bread"), ("permalink: bread/index.htm", "bread"),
        ("permalink: /index.html", nil), ("permalink: false", nil),
        ("permalink: '/{{ title | slugify }}/index.html'", nil),
        ("permalink: /%EB%B9%B5-%EC%9D%B4/", "빵-이"), ("slug: caf%C3%A9", "café"),
    ])
    func `a slug is given, or the last part of a permalink`(yaml: String, slug: String?) throws {
        #expect(try read(yaml).slug == slug)
    }

    @Test(arguments: [
        "cover:\n  image: https://a.example/i.png\n  alt: Text", "image: https://a.example/i.png",
        "images:\n- https://a.example/i.png\n- https://a.example/j.png",
        "header:\n  teaser: https://a.example/i.png",
        "header: Words\nhero: https://a.example/i.png",
        "featuredImage: {src: 'https://a.example/i.png'}", "thumbnail: https://a.example/i.png",
    ])
    func `the main image is found where themes have it`(yaml: String) throws {
        let front = try read(yaml)
        #expect(front.heroImage?.url == "https://a.example/i.png")
        #expect(front.heroImage?.alternativeText == (yaml.contains("alt") ? "Text" : nil))
        #expect(front.notes == [])
    }

    @Test func `keys are the same in any case and section`() throws {
        let front = try read(
            "TITLE: A\nPublishDate: 2020-01-02\nparams: {Author: Ann}\ntaxonomies: {tags: [b]}")
        #expect(front.title == "A" && front.authors == ["Ann"] && front.tags == ["b"])
        #expect(front.date == Timestamp("2020-01-02T00:00:00Z"))
    }
}
