import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// The client commands with a running server.
@Suite(.mayBlock) struct ClientTests {
    let folder: TemporaryFolder
    let served: RunningServer
    let server: String

    init() throws {
        folder = try TemporaryFolder()
        served = try RunningServer(folder.file("a.db"), ["--samples"])
        server = "http://\(served.addresses[0])"
    }

    /// Runs a client command with the admin key, unless the key of `login` is to be used.
    private func run(
        _ arguments: String..., key: String? = RunningServer.adminKey, editor: String = "true"
    ) throws -> Program.Ended {
        var environment = [
            "BROADSHEET_SERVER": server, "XDG_CONFIG_HOME": folder.file("config"),
            "EDITOR": editor, "TMPDIR": folder.path,
        ]
        if let key { environment["BROADSHEET_KEY"] = key }
        let program = try Program.start(arguments, environment: environment)
        let output = program.output.rest()
        return Program.Ended(
            status: program.wait(), output: output, errors: program.errors.rest())
    }

    private func draft(_ text: String) throws -> String {
        let path = folder.file("draft.md")
        try write(text, to: path)
        return path
    }

    @Test func `articles are listed page by page, as JSON for programs`() throws {
        let first = try run("articles", "list", "--limit", "10", key: nil)
        #expect(first.status == 0 && first.output.count == 1)
        let unnamed = try run("articles", "list", "--limit", "10", key: "")
        #expect(unnamed.status == 0 && unnamed.output == first.output)
        let page = try #require(first.output.first)
        #expect(page.hasPrefix(#"{"items":[{"id":""#))
        let cursor = try #require(page.firstMatch(of: /"next":"([^"]+)"/)?.output.1)
        let second = try run(
            "articles", "list", "--limit", "10", "--cursor", String(cursor), key: nil)
        #expect(second.output.first?.contains("next") == false)
        let korean = try run("articles", "list", "--language", "ko").output.joined()
        #expect(korean.contains("첫 요청 보내기") && !korean.contains("Your first request"))
    }

    @Test func `a terminal shows a table and a document`() throws {
        let command = try "\(Program.path()) articles list --limit 3 --server \(server)"
        let table = try RunningProgram("/usr/bin/script", ["-qefc", command, "/dev/null"])
        let lines = table.output.rest()
        #expect(lines.first?.hasPrefix("ID ") == true)
        #expect(lines.contains { $0.contains("published  2025-06-30  en    Your first") })
        let get = try "\(Program.path()) articles get your-first-request --server \(server)"
        let document = try RunningProgram("/usr/bin/script", ["-qefc", get, "/dev/null"])
        let text = document.output.rest().joined(separator: "\n")
        #expect(text.contains(#"title: "Your first request""#))
        #expect(text.contains("You started Broadsheet"))
    }

    @Test func `control characters in an article are escaped on a terminal`() throws {
        let body = #"A\u001b]0;title\u0007B\u009b31mC\u202eD\r\nE"#
        let made = try served.send(
            .post, "/v1/articles",
            #"{"title":"Odd \u202e name","slug":"odd","status":"published","body":"\#(body)"}"#)
        #expect(made.status == 201)
        for arguments in ["get odd", "get odd --json", "list --limit 1"] {
            let command = try "\(Program.path()) articles \(arguments) --server \(server)"
            let terminal = try RunningProgram("/usr/bin/script", ["-qefc", command, "/dev/null"])
            let text = terminal.output.rest().joined(separator: "\n")
            let active: Set<Unicode.Scalar> = ["\u{1B}", "\u{7}", "\u{9B}", "\u{202E}"]
            #expect(active.isDisjoint(with: text.unicodeScalars))
            #expect(text.contains(#"\u202e"#))
        }
        // A program receives the text unescaped.
        let plain = try run("articles", "get", "odd").output.joined()
        #expect(plain.contains("\u{9B}31mC\u{202E}D"))
    }

    @Test func `a file with a date in the future is scheduled`() throws {
        for status in ["", "status: published\n", "status: scheduled\n"] {
            let file = try draft(
                "---\ntitle: Later\ndate: 2100-01-01T00:00:00Z\n\(status)---\n\nText.\n")
            let created = try run("articles", "create", file)
            #expect(created.status == 0, "\(created)")
            #expect(created.output.first?.contains(#""status":"scheduled""#) == true)
        }
    }

    @Test func `an article is created, edited, restored and deleted`() throws {
        let file = try draft("---\ntitle: From here\ntags: [a, b]\n---\n\nHello.\n")
        #expect(try run("articles", "create", file).status == 0)
        let slug = "from-here"
        let edited = try run("articles", "edit", slug, editor: "sed -i s/Hello/Goodbye/")
        #expect(edited.status == 0 && edited.output.first?.contains(#""revision":2"#) == true)
        #expect(try run("articles", "get", slug).output.first?.contains("Goodbye") == true)
        #expect(try run("articles", "edit", slug).errors == ["nothing was changed"])
        let history = try run("articles", "history", slug).output.joined()
        #expect(history.contains(#""number":2,"action":"updated""#))
        let restored = try run("articles", "restore", slug, "1")
        #expect(restored.output.first?.contains("Hello.") == true)
        #expect(try run("articles", "delete", slug).status == 0)
        let gone = try run("articles", "get", slug)
        #expect(gone.status == 65)
        #expect(gone.errors == ["broadsheet: The requested resource does not exist."])
    }

    @Test func `a conflicting edit is rejected, and its text is saved`() throws {
        _ = try run("articles", "create", try draft("---\ntitle: Twice\n---\n\nOne.\n"))
        // While the editor is open, another client changes the article.
        let script = folder.file("late.sh")
        try write(
            """
            EDITOR='sed -i s/Twice/Theirs/' \(try Program.path()) articles edit twice || exit 1
            sed -i s/One/Mine/ "$1"
            """, to: script)
        let command = "cd \(folder.path) && exec \(try Program.path()) articles edit twice"
        let late = try RunningProgram(
            "/bin/sh", ["-c", command],
            environment: [
                "BROADSHEET_SERVER": server, "BROADSHEET_KEY": RunningServer.adminKey,
                "EDITOR": "sh \(script)", "HOME": folder.path,
            ])
        let errors = late.errors.rest()
        #expect(late.wait() == 65)
        #expect(errors.count == 1)
        let path = try #require(errors.first?.firstMatch(of: /saved to ([^)]+)\)/)?.output.1)
        #expect(try read(folder.file(String(path))).contains("Mine."))
        #expect(try served.client.get("/v1/articles/twice").text.contains("Theirs"))
    }

    @Test func `login stores a key for its owner only, and logout removes it`() throws {
        let file = try draft("---\ntitle: Mine\n---\n")
        #expect(try run("articles", "create", file, key: nil).status == 77)
        let login = { (key: String) in
            let environment = ["XDG_CONFIG_HOME": self.folder.file("config")]
            let shell = try RunningProgram(
                "/bin/sh",
                ["-c", "echo \(key) | \(try Program.path()) login --server \(self.server)"],
                environment: environment)
            _ = shell.errors.rest()
            return shell.wait()
        }
        #expect(try login("bsk_wrong") == 77)
        #expect(try login(RunningServer.adminKey) == 0)
        let kept = try Shell.start(
            #"exec stat --format=%a:%n "$folder"/config/broadsheet/*"#, folder: folder.path)
        let files = kept.output.rest()
        #expect(files.count == 1 && files[0].hasPrefix("600:") && files[0].hasSuffix(".json"))
        #expect(try run("articles", "create", file, key: nil).status == 0)
        #expect(try run("logout", key: nil).status == 0)
        #expect(try run("articles", "create", file, key: nil).status == 77)
    }

    @Test func `an invalid draft, command or server is reported with one line`() throws {
        let bad = try draft("---\ntitle: T\ndate: someday\n---\n")
        let wrong = try run("articles", "create", bad)
        #expect(wrong.status == 65 && wrong.errors.count == 1)
        #expect(wrong.errors.first?.hasPrefix("broadsheet: draft.md:3: ") == true)
        #expect(try run("articles").status == 64)
        #expect(try run("articles", "restore", "x", "zero").status == 64)
        #expect(try run("articles", "list", "--status", "lost").status == 64)
        let offline = try run("articles", "list", "--server", "http://127.0.0.1:1")
        #expect(offline.status == 69 && offline.errors.count == 1)
    }
}
