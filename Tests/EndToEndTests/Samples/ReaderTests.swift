import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// The sample app on a terminal, with a running server.
@Suite(.mayBlock) struct ReaderTests {
    let folder: TemporaryFolder
    let served: RunningServer

    init() throws {
        folder = try TemporaryFolder()
        served = try RunningServer(folder.file("a.db"), ["--samples", "--sign-up", "open"])
    }

    /// - Parameters:
    ///   - key: `nil` for an anonymous reader.
    ///   - files: where it keeps articles; `nil` for its memory.
    private func reader(
        _ key: String? = RunningServer.adminKey, in files: String? = nil
    ) throws -> PseudoTerminal {
        try PseudoTerminal(
            builtProgram("broadsheet-reader"),
            ["http://\(served.addresses[0])", key ?? ""] + (files.map { [$0] } ?? []))
    }

    private func create(_ title: String) throws -> String {
        let body = #"{"title":"\#(title)","body":"It rained.","status":"published"}"#
        let response = try served.send(.post, "/v1/articles", body)
        return try #require(response.fields[.location])
    }

    @Test func `articles are listed, filtered while typing, opened and edited`() throws {
        let created = try served.send(
            .post, "/v1/articles",
            #"{"title":"A day out","summary":"In short.","body":"It rained.\n\n끝.","#
                + #""tags":["outdoors"],"status":"published"}"#)
        #expect(created.status == 201)
        let terminal = try reader()
        try terminal.screen(with: "A day out", "articles")
        try terminal.type("/outdoors")
        try terminal.screen(with: "A day out", "tag: outdoors")
        try terminal.type("\r")
        let found = try terminal.screen(with: "A day out", "1 articles · live")
        #expect(found.split(separator: "\r\n").count == 2)
        try terminal.type("\r")
        try terminal.screen(with: "A day out", "revision 1", "In short.", "It rained.", "끝.")
        // Deletes the old title, letter by letter.
        try terminal.type("e" + String(repeating: "\u{7F}", count: 3) + "in\r")
        try terminal.screen(with: "A day in", "revision 2", "edited")
        // An edit that the backend would reject is not made, and reported.
        try terminal.type("e" + String(repeating: "x", count: 300) + "\r")
        try terminal.screen(with: "A day in\r\n", "revision 2", "The title ")
        try terminal.type("\u{1B}")
        try terminal.screen(with: "▸ A day in")
        try terminal.type("q")
        #expect(terminal.wait() == 0)
    }

    @Test func `a user signs in, comments, bookmarks and signs out`() throws {
        let created = try served.send(
            .post, "/v1/articles",
            #"{"title":"Bread","summary":"Dough.","status":"published"}"#)
        #expect(created.status == 201)
        let user = #"{"name":"mina","password":"correct horse","displayName":"Mina K."}"#
        #expect(try served.send(.post, "/v1/users", user).status == 201)
        let terminal = try reader(nil)
        try terminal.screen(with: "▸ Bread", "articles")
        try terminal.type("\r")
        try terminal.screen(with: "Bread", "revision 1", "Dough.")
        try terminal.type("smina\rwrong\r")
        try terminal.screen(with: "The name or the password is wrong.")
        try terminal.type("smina\rcorrect horse")
        try terminal.screen(with: "password: •••••••••••••")
        try terminal.type("\r")
        try terminal.screen(with: "signed in as Mina K.")
        try terminal.type("b")
        try terminal.screen(with: "· ★", "bookmarked")
        try terminal.type("c")
        try terminal.screen(with: "0 comments")
        try terminal.type("aWhat about rye?\r")
        try terminal.screen(with: "Mina K.: What about rye?", "added")
        try terminal.type("\u{1B}")
        try terminal.screen(with: "Dough.")
        try terminal.type("b")
        try terminal.screen(with: "no longer bookmarked")
        try terminal.type("o")
        try terminal.screen(with: "signed out")
        try terminal.type("q")
        #expect(terminal.wait() == 0)
        #expect(!String(decoding: terminal.shown, as: UTF8.self).contains("horse"))
    }

    @Test func `the list loads more while scrolling down`() throws {
        for number in 1...45 {
            // Several would be published in one millisecond, and have no order.
            let time = "2026-11-01T00:00:\(number < 10 ? "0" : "")\(number)Z"
            let body =
                #"{"title":"Number \#(number)","status":"published","publishedAt":"\#(time)"}"#
            #expect(try served.send(.post, "/v1/articles", body).status == 201)
        }
        let terminal = try reader(nil)
        try terminal.screen(with: "▸ Number 45", "Number 26", "20 articles · live")
        // Only the two lines that have changed are drawn.
        let before = terminal.shown.count
        try terminal.type("\u{1B}[B")
        try terminal.screen(with: "▸ Number 44")
        let drawn = String(decoding: terminal.shown[before...], as: UTF8.self)
        #expect(drawn.contains("  Number 45") && !drawn.contains("Number 43"))
        try terminal.type(String(repeating: "\u{1B}[B", count: 16))
        try terminal.screen(with: "▸ Number 28", "40 articles")
        try terminal.type(String(repeating: "\u{1B}[B", count: 20))
        try terminal.screen(with: "▸ Number 8", "60 articles")
        try terminal.type("q")
        #expect(terminal.wait() == 0)
    }

    @Test func `articles are read and edited without a network, and sent when it is back`() throws {
        let place = try create("A day out")
        let files = try TemporaryFolder()
        let terminal = try reader(in: files.path)
        try terminal.screen(with: "▸ A day out", "articles · live")
        try terminal.type("f")
        try terminal.screen(with: "articles · ✈")
        try terminal.type("\r")
        try terminal.screen(with: "A day out", "revision 1", "It rained.")
        try terminal.type("e and in\r")
        try terminal.screen(with: "A day out and in", "revision 1 · unsent", "✈ · 1 unsent")
        // What is undone before it was sent is not sent.
        try terminal.type("u")
        try terminal.screen(with: "A day out\r\n", "revision 1\r\n", "✈ · edited")
        try terminal.type("U")
        try terminal.screen(with: "A day out and in", "revision 1 · unsent", "✈ · 1 unsent")
        try terminal.type("\u{1B}nNew\r")
        try terminal.screen(with: "New [unsent]", "A day out and in [unsent]", "2 unsent")
        try terminal.type("q")
        #expect(terminal.wait() == 0)
        #expect(try !served.client.get(place).text.contains("and in"))
        // It was kept, and is sent the next time.
        let again = try reader(in: files.path)
        try again.screen(with: "New  —", "A day out and in  —", "articles · live")
        try again.type("q")
        #expect(again.wait() == 0)
        #expect(try served.client.get(place).text.contains("A day out and in"))
    }

    @Test func `words are searched while they are typed, with and without a network`() async throws
    {
        _ = try create("A day out")
        let other = #"{"title":"Weather","body":"Take an umbrella.","status":"published"}"#
        #expect(try served.send(.post, "/v1/articles", other).status == 201)
        // The index follows the articles within a second.
        let isFound = await eventually {
            (try? served.client.get("/v1/search?q=umbrella").text.contains("Weather")) == true
        }
        #expect(isFound)
        let terminal = try reader()
        try terminal.screen(with: "A day out", "Weather", "articles · live")
        try terminal.type("?umbrella")
        try terminal.screen(with: "▸ Weather", "Take an [umbrella].", "search: umbrella")
        try terminal.type("\r")
        let found = try terminal.screen(with: "▸ Weather", "1 found · live")
        #expect(!found.contains("A day out") && !found.contains("offline"))
        try terminal.type("\r")
        try terminal.screen(with: "Weather", "revision 1", "Take an umbrella.")
        try terminal.type("\u{1B}")
        try terminal.screen(with: "▸ Weather", "1 found")
        try terminal.type("f")
        try terminal.screen(with: "1 found · ✈")
        try terminal.type("?rained")
        try terminal.screen(with: "▸ A day out", "It [rained].", "search: rained")
        try terminal.type("\r")
        try terminal.screen(with: "1 found · ✈ · offline: only what is on this machine")
        // The words of before, and of before those.
        try terminal.type("?\u{1B}[A")
        try terminal.screen(with: "▸ A day out", "search: rained")
        try terminal.type("\u{1B}[A")
        try terminal.screen(with: "▸ Weather", "search: umbrella")
        try terminal.type("\u{1B}")
        try terminal.screen(with: "articles · ✈")
        try terminal.type("q")
        #expect(terminal.wait() == 0)
    }

    @Test(arguments: [("m", "Mine"), ("t", "Theirs")])
    func `two edits of one title wait for a decision`(key: String, title: String) throws {
        let place = try create("Bread")
        let terminal = try reader()
        try terminal.screen(with: "▸ Bread", "articles · live")
        try terminal.type("f\r")
        try terminal.screen(with: "Bread", "revision 1", "✈")
        try terminal.type("e" + String(repeating: "\u{7F}", count: 5) + "Mine\r")
        try terminal.screen(with: "Mine", "revision 1 · unsent")
        #expect(try served.send(.patch, place, #"{"title":"Theirs"}"#).status == 200)
        try terminal.type("f")
        try terminal.screen(
            with: "Mine", "conflict", "m keeps yours:   Mine", "t takes theirs:  Theirs")
        try terminal.type(key)
        let revision = key == "m" ? 3 : 2
        try terminal.screen(with: "\(title)\r\n", "revision \(revision)\r\n", "live")
        try terminal.type("q")
        #expect(terminal.wait() == 0)
        #expect(try served.client.get(place).text.contains(#""title":"\#(title)""#))
    }

    @Test func `without a server there is an error message, and the app can be left`() throws {
        let terminal = try PseudoTerminal(builtProgram("broadsheet-reader"), ["http://127.0.0.1:1"])
        try terminal.screen(with: "0 articles", "The server cannot be reached.")
        try terminal.type("q")
        #expect(terminal.wait() == 0)
    }
}
