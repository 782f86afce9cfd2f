import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// `broadsheet articles upcoming` with a running server.
@Suite(.mayBlock) struct UpcomingTests {
    let folder: TemporaryFolder
    let served: RunningServer
    /// The present, to which the articles' times are relative.
    let now: Timestamp

    init() throws {
        folder = try TemporaryFolder()
        served = try RunningServer(folder.file("a.db"))
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        now = Timestamp(milliseconds: Int64(time.tv_sec) * 1_000)
    }

    private func schedule(
        _ title: String, inHours hours: Int64, language: String = "en", tag: String = "news"
    ) throws {
        try schedule(
            title, at: now.advanced(byMilliseconds: hours * 3_600_000), language: language,
            tag: tag)
    }

    private func schedule(
        _ title: String, at time: Timestamp, language: String = "en", tag: String = "news"
    ) throws {
        let body = """
            {"title":"\(title)","status":"scheduled","publishedAt":"\(time)",\
            "language":"\(language)","tags":["\(tag)"]}
            """
        let created = try served.send(.post, "/v1/articles", body)
        guard created.status == 201 else { throw TestFailure(created.text) }
    }

    private func environment(_ key: String?, _ zone: String) -> [String: String] {
        var environment = [
            "BROADSHEET_SERVER": "http://\(served.addresses[0])", "TZ": zone,
            "XDG_CONFIG_HOME": folder.file("config"),
        ]
        if let key { environment["BROADSHEET_KEY"] = key }
        return environment
    }

    /// Runs the command as a program would.
    private func run(
        _ options: String..., key: String? = RunningServer.adminKey
    ) throws -> Program.Ended {
        let program = try Program.start(
            ["articles", "upcoming"] + options, environment: environment(key, "UTC"))
        let output = program.output.rest()
        return Program.Ended(
            status: program.wait(), output: output, errors: program.errors.rest())
    }

    /// Runs the command on a terminal, and returns the lines that it shows.
    private func screen(zone: String, key: String? = RunningServer.adminKey) throws -> [String] {
        let command = "\(try Program.path()) articles upcoming"
        let terminal = try RunningProgram(
            "/usr/bin/script", ["-qefc", command, "/dev/null"],
            environment: environment(key, zone))
        return terminal.output.rest().map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
    }

    /// A time zone in which it is now this time of the day, as its offset and its name (tzset(3)).
    private func zone(where hour: Int64, _ minute: Int64) -> (seconds: Int64, name: String) {
        let offset = (hour * 60 + minute) * 60 - now.milliseconds / 1_000 % 86_400
        let size = abs(offset)
        // The sign is that of the seconds to be added to local time.
        let name = "<Zone>\(offset < 0 ? "" : "-")\(size / 3_600):\(size / 60 % 60):\(size % 60)"
        return (offset, name)
    }

    private func titles(_ page: String) -> [String] {
        page.matches(of: /"title":"([^"]*)"/).map { String($0.output.1) }
    }

    @Test func `a terminal shows days with local times`() throws {
        for (title, hours) in [
            ("In a month", 720), ("In a day", 24), ("Soon", 1), (#"A \u202e B"#, 49),
        ] {
            try schedule(title, inHours: Int64(hours))
        }
        _ = try served.send(.post, "/v1/articles", #"{"title":"Not yet","status":"draft"}"#)
        let (seconds, name) = zone(where: 12, 0)
        let lines = try screen(zone: name)
        #expect(lines.first?.hasPrefix("  TIME ") == true)
        // In two days it is this week or the next one, as today's weekday has it.
        let headings = lines.filter { !$0.hasPrefix(" ") }
        let expected = ["This", "Next"].map { ["Today", "Tomorrow", "\($0) week", "Later"] }
        #expect(expected.contains(headings))
        let shown = lines.filter { $0.hasPrefix(" ") }.dropFirst()
        // A directional mark is escaped, as it could garble the line.
        let places = ["Soon", "In a day", #"A \u202e B"#, "In a month"]
        #expect(shown.count == places.count)
        for (line, title) in zip(shown, places) { #expect(line.hasSuffix("  en    \(title)")) }
        let soon = now.advanced(byMilliseconds: (3_600 + seconds) * 1_000).description
        let index = try #require(lines.firstIndex(of: "Today"))
        let text = "\(soon.prefix(10)) 13:00  "
        #expect(lines[index + 1].dropFirst(6).hasPrefix(text), "\(lines) in \(name)")
        // One hour before midnight, what comes in an hour comes tomorrow.
        let (_, late) = zone(where: 23, 0)
        #expect(try screen(zone: late).filter { !$0.hasPrefix(" ") }.first == "Tomorrow")
    }

    @Test func `each time is shown with the offset that is in force then`() throws {
        let year = try #require(Int(now.description.prefix(4))) + 1
        for (title, date) in [("Winter", "01-15"), ("Summer", "07-15")] {
            try schedule(title, at: try #require(Timestamp("\(year)-\(date)T12:00:00Z")))
        }
        let lines = try screen(zone: "CET-1CEST,M3.5.0,M10.5.0/3")
        #expect(lines.contains { $0.hasSuffix("Winter") && $0.contains(" \(year)-01-15 13:00 ") })
        #expect(lines.contains { $0.hasSuffix("Summer") && $0.contains(" \(year)-07-15 14:00 ") })
    }

    @Test func `programs receive the items of all pages, in order and filtered`() throws {
        for number in 1...103 { try schedule("N\(number)", inHours: Int64(1_000 - number)) }
        try schedule("다음", inHours: 2, language: "ko", tag: "notes")
        let all = try run()
        #expect(all.status == 0 && all.output.count == 1 && all.errors == [])
        let page = try #require(all.output.first)
        #expect(page.hasPrefix(#"{"items":[{"id":""#) && !page.contains(#""next""#))
        #expect(titles(page) == ["다음"] + (1...103).reversed().map { "N\($0)" })
        #expect(titles(try run("--language", "ko").output.joined()) == ["다음"])
        #expect(titles(try run("--tag", "notes").output.joined()) == ["다음"])
        #expect(try run("--tag", "unused").output == [#"{"items":[]}"#])
        #expect(try run("--author", "nobody").status == 64)
    }

    @Test func `what is left out after a thousand has a cursor`() throws {
        let time = now.advanced(byMilliseconds: 3_600_000)
        let lines = (1_000...2_000).map {
            #"{"title":"N\#($0)","slug":"n-\#($0)","status":"scheduled","publishedAt":"\#(time)"}"#
        }
        let file = folder.file("many.ndjson")
        try write(lines.joined(separator: "\n") + "\n", to: file)
        let ended = try Program.run("import", file, "--database", folder.file("a.db"))
        #expect(ended.output == ["1001 articles: 1001 created"])
        let page = try run().output.joined()
        let cursor = try #require(page.firstMatch(of: /"next":"([^"]+)"/)?.output.1)
        let rest = try run("--cursor", String(cursor)).output.joined()
        #expect(titles(page).count == 1_000 && titles(rest).count == 1)
        #expect(Set(titles(page) + titles(rest)).count == 1_001)
        // The terminal says so, too.
        #expect(try screen(zone: "UTC").last?.hasPrefix("more: --cursor ") == true)
    }

    @Test func `a caller who cannot see scheduled articles is told so`()
        throws
    {
        #expect(try screen(zone: "UTC") == ["Nothing is scheduled."])
        #expect(try run().output == [#"{"items":[]}"#])
        try schedule("Hidden", inHours: 1)
        let made = try Program.run(
            "key", "create", "--role", "reader", "--name", "R", "--database", folder.file("a.db"))
        let reader = try #require(
            made.output.joined(separator: " ").firstMatch(of: /bsk_[A-Za-z0-9_-]+/)?.output)
        for key in [nil, String(reader)] {
            let ended = try run(key: key)
            #expect(ended.status == 77 && ended.output == [] && ended.errors.count == 1)
            #expect(ended.errors.first?.contains("only editors can see") == true)
            #expect(try screen(zone: "UTC", key: key).joined().contains("only editors"))
        }
    }
}
