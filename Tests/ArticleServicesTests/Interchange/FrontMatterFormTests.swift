import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

/// Front matter in other forms than YAML, and what resembles front matter.
@Suite struct FrontMatterFormTests {
    private func post(_ text: String) throws(FrontMatterError) -> MarkdownPost {
        try MarkdownPost(Array(text.utf8), name: "a.md")
    }

    private func toml(_ text: String) throws(FrontMatterError) -> FrontMatter {
        try post("+++\n\(text)\n+++\nText.").frontMatter
    }

    @Test func `TOML is read with its values and tables`() throws {
        let text = #"""
            # A comment
            title = "One \"line\" \u00e9\t" # another
            date = 2020-01-31T10:00:00+09:00
            draft = true
            weight = -1_000
            "categories" = ['C:\a', "b"]
            description = """
            Two \

              lines"""
            [params]
            tags = [
              "c", # in the middle
              'd',
            ]
            author.name = 'Ann'
            [[cascade]]
            background = 'x.jpg'
            [cover]
            image = "https://a.example/i.png"
            alt = '''It's'''
            """#
        let post = try post("+++\n\(text)\n+++\n\nText.\n")
        let front = post.frontMatter
        #expect(front.title == "One \"line\" é" && front.summary == "Two lines")
        #expect(front.date == Timestamp("2020-01-31T01:00:00Z") && front.status == .draft)
        #expect(front.tags == ["C:\\a", "b", "c", "d"] && front.authors == ["Ann"])
        #expect(front.heroImage?.url == "https://a.example/i.png")
        #expect(front.heroImage?.alternativeText == "It's")
        #expect(front.notes == [] && post.body == "Text.\n" && post.bodyLine == 25)
    }

    @Test(arguments: [
        ("date = 2020-01-31", "2020-01-31T00:00:00.000Z"),
        ("date = 2020-01-31 10:20:30", "2020-01-31T10:20:30.000Z"),
        ("date = 2020-01-31T10:20:30.5", "2020-01-31T10:20:30.500Z"),
        ("Date = '2020-01-31 10:00 +0900' # words", "2020-01-31T01:00:00.000Z"),
        ("date = 2020-01-31 # words", "2020-01-31T00:00:00.000Z"),
        ("publishdate = 2020-01-31\ndate = 2019-01-01", "2020-01-31T00:00:00.000Z"),
        ("date = 2020-01-31\nDate = 2099-01-31", "2099-01-31T00:00:00.000Z"),
    ])
    func `dates of TOML are read`(text: String, date: String) throws {
        #expect(try toml(text).date?.description == date)
    }

    @Test(arguments: [
        ("title = hello", 2), ("title", 2), ("a = 1\ntitle = \"x", 3), ("= 1", 2),
        ("a = 1 b = 2", 2), ("a = 1\na = 2", 3), ("a = [1, 2", 3), ("[a", 2), ("[[a]", 2),
        ("a = {b = 1", 2), ("a = \"\\q\"", 2), ("a = \"\\ud800\"", 2), ("a = '''\nx\n", 5),
        ("a = \"x\ny\"", 2), ("a = 2020year", 2), ("draft = True", 2), ("a = nil", 2),
        ("title: x", 2), ("<<<<<<< HEAD", 2),
        ("a = " + String(repeating: "[", count: 17) + String(repeating: "]", count: 17), 2),
    ])
    func `TOML that is not known is rejected with its line`(text: String, line: Int) {
        do throws(FrontMatterError) {
            let front = try toml(text)
            Issue.record("\(front)")
        } catch { #expect(error.line == line, "\(error)") }
    }

    @Test func `a JSON object is read`() throws {
        let text = #"{"title": "A } brace", "draft": "true", "tags": ["b"], "x": {"y": null}}"#
        let post = try post("\u{FEFF}\n\(text)\n\nText.")
        #expect(post.frontMatter.title == "A } brace" && post.frontMatter.status == .draft)
        #expect(post.frontMatter.tags == ["b"] && post.body == "Text." && post.bodyLine == 4)
        let lines = try self.post("{\n\"title\": \"B\",\n\"publishDate\": \"2099-01-01\"\n}\nText.")
        #expect(lines.frontMatter.date == Timestamp("2099-01-01T00:00:00Z"))
        #expect(lines.bodyLine == 5)
    }

    @Test(arguments: [
        ("{\"title\": \"A\"", FrontMatterError.Reason.unclosed("}")),
        ("+++\ntitle = 'A'\n---\nText", .unclosed("+++")),
        ("---\ntitle: A\n+++\n", .unclosed("---")),
        ("---yml5\ntitle: A\n---\n", .unknownForm), (";;;\n\"title\": \"A\"\n;;;\n", .unknownForm),
        ("<!--\n---\ntitle: A\n---\n-->", .unknownForm), ("<!--\n.. title: A\n-->", .unknownForm),
        ("<!-- note -->\n\n---\ndraft: true\n---\n", .unknownForm),
        ("Title: A\nDate: 2020-01-01\nStatus: draft\n\nText", .unknownForm),
        ("title: A\npublished: false\n---\nText", .unknownForm),
        ("-----\ntitle: A\ndraft: true\n-----\n", .unknownForm),
        (".. title: A\n.. status: private\n\nText", .unknownForm),
        ("#+TITLE: A\n#+DRAFT: true\n\nText", .unknownForm),
        ("title: A\npassword: s\n---\nText", .unknownForm), ("h1: A\nstatus: draft", .unknownForm),
        ("title: A\ntags:\n- b\nisdraft: 1\n---\nText", .unknownForm),
        ("title: A\naccess: paid\n---\nText", .unknownForm),
        ("title: A\npost_status: trash\n---\nText", .unknownForm),
        ("title: A\nembargo: 2099-01-01\n---\nText", .unknownForm),
        ("title: A\ndraft : true\n---\nText", .unknownForm),
        ("Title: A\n Status: draft\n\nText", .unknownForm),
        ("Title: A\n  and more\nStatus: draft\n\nText", .unknownForm),
        ("<!-- title: A -->\n<!-- status: draft -->\n\nText", .unknownForm),
        ("<!--\ntitle: A\n-->\n\n<!--\nstatus: draft\n-->\n\nText", .unknownForm),
    ])
    func `what resembles front matter, but is not known, is rejected`(
        text: String, reason: FrontMatterError.Reason
    ) {
        #expect(throws: FrontMatterError(line: 1, reason: reason)) { try post(text) }
    }

    @Test(arguments: [
        "{ // settings\n\"draft\": true }\nText", "{ /* x */\n\"draft\": true }\nText",
        "{ # x\n\"draft\": true\n}\nText",
    ])
    func `an object with comments is rejected`(text: String) {
        #expect(throws: FrontMatterError.self) { try post(text) }
    }

    @Test(arguments: [
        "{% include a.html %}", "{{< figure >}}", "{: .note }\nText", "{ a set }", "-----\n\nText",
        "- - -", "Note: a title\nand more\nstatus: x", "+ one\n+ two", "<!-- a comment -->\n# A",
        "A: b\n\nStatus: draft", "***", ".. and so on", "#+", "Note: a\n    status: b",
        "<!-- note: a -->\n\n# A", "- a: b\nstatus: x",
    ])
    func `what does not resemble front matter is text`(text: String) throws {
        let post = try post(text)
        #expect(post.body == text && post.frontMatter == FrontMatter())
    }

    @Test(arguments: [
        "\n---\ndraft: true\n---\nText",
        "\u{FEFF}\u{FEFF}\r\n\r\n---\r\ndraft: true\r\n---\r\nText",
        "---\rdraft: true\r---\rText", "\r \t\r--- \t\rdraft: true\r--- \rText",
        "\u{A0}\n\u{200B}---\ndraft: true\n---\nText", "---yaml\ndraft: true\n...\nText",
        "---toml\ndraft = true\n---\nText", "---json\n{\"draft\": true}\n---\nText",
        "\r+++\rdraft = true\r+++\rText", "+++\r\ndraft = true\r\n+++\r\nText",
        "\r\n{\r\"draft\": true\r}\rText",
    ])
    func `blank lines, marks and any line ends may surround front matter`(text: String) throws {
        let post = try post(text)
        #expect(post.frontMatter.status == .draft && post.body == "Text")
    }

    @Test func `a line is counted at each line end`() {
        let text = "\r\n---\ra: 1\r\nb: &c 2\r---\n"
        #expect(throws: FrontMatterError(line: 4, reason: .reference)) { try post(text) }
    }

    @Test func `the time to read TOML is linear in its length`() throws {
        let table = #"a = ["x\n", 'y', 1, 2020-01-01 00:00:00, {b = '''z'''}] # c"# + "\n[t]\n"
        let text = String(repeating: table, count: 800)
        // Copies of what was read would take 64 times as long.
        let growth = try growth(from: text, to: String(repeating: text, count: 8)) { text throws in
            #expect(try TOMLReader.mapping(of: Array(text.utf8), firstLine: 1).count > 500)
        }
        #expect(growth < 16)
    }
}
