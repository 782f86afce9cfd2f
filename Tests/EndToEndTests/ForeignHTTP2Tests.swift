import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Other implementations of HTTP/2 as clients of the binary.
@Suite(.mayBlock) struct ForeignHTTP2Tests {
    private let folder: TemporaryFolder
    private let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    /// The version that curl has used.
    private func version(_ options: [String], _ url: String) throws -> String? {
        let curl = try RunningProgram(
            "/usr/bin/curl",
            ["-sS", "-o", "/dev/null", "-w", "%{http_code} %{http_version}\n"] + options + [url])
        return curl.output.next()
    }

    @Test func `curl speaks the version that it wants`() throws {
        let served = try RunningServer.secure(database, folder, ["--log", "json", "--loops", "1"])
        let url = "https://localhost:\(served.addresses[0].port)/v1/articles"
        let trusted = ["--cacert", folder.file("server.pem")]
        #expect(try version(trusted + ["--http2"], url) == "200 2")
        #expect(try version(trusted + ["--http1.1"], url) == "200 1.1")
        for name in ["HTTP/2", "HTTP/1.1"] {
            var line = served.program.errors.next()
            while line?.contains(#""protocol":"#) == false { line = served.program.errors.next() }
            #expect(line?.contains(#""protocol":"\#(name)","#) == true)
        }
        #expect(served.stop() == 0)
    }

    @Test func `HTTP 2 can be turned off, and on without TLS`() throws {
        let older = try RunningServer.secure(database, folder, ["--no-http2"])
        let trusted = ["--cacert", folder.file("server.pem"), "--http2"]
        #expect(
            try version(trusted, "https://localhost:\(older.addresses[0].port)/livez")
                == "200 1.1")
        #expect(older.stop() == 0)
        let plain = try RunningServer(database, ["--http2-cleartext"])
        #expect(
            try version(
                ["--http2-prior-knowledge"],
                "http://localhost:\(plain.addresses[0].port)/livez") == "200 2")
        #expect(plain.stop() == 0)
        let both = try Program.run("serve", "--no-http2", "--http2-cleartext")
        #expect(both.status == 64)
    }

    @Test(.enabled(if: Shell.has("nghttp"), "nghttp is not here"))
    func `nghttp gets many articles at once, and posts one`() throws {
        let served = try RunningServer.secure(database, folder, ["--samples"])
        let articles = "https://localhost:\(served.addresses[0].port)/v1/articles"
        let many = try nghttp(["--stat", "--null-out", "--multiply=50"], "\(articles)?limit=5")
        #expect(many.matches(of: /\s200\s+[\d.]+[KM]? \/v1\/articles\?limit=5/).count == 50)
        let draft = folder.file("draft.json")
        // Larger than the window of a stream.
        let text = String(repeating: "bread ", count: 30_000)
        try write(#"{"title":"Bread","body":"\#(text)"}"#, to: draft)
        let posted = try nghttp(
            [
                "--verbose", "--null-out", "--data=\(draft)", "--padding=100", "--trailer=x-sum: 1",
                "--header=content-type: application/json",
                "--header=authorization: Bearer \(RunningServer.adminKey)",
            ], articles)
        #expect(posted.contains(":status: 201"))
        // More fields than are accepted, in more than one frame.
        let large = try nghttp(["--verbose", "--null-out", "--continuation"], articles)
        #expect(large.contains(":status: 431"))
        #expect(served.stop() == 0)
    }

    /// Returns the output of nghttp about requests, all of which the server has to complete.
    private func nghttp(_ options: [String], _ url: String) throws -> String {
        let program = try RunningProgram("/usr/bin/nghttp", ["--timeout=120s"] + options + [url])
        let output = program.output.rest().joined(separator: "\n")
        #expect(program.wait() == 0, "\(output)")
        return output
    }

    @Test(.enabled(if: Shell.has("h2load"), "h2load is not here"))
    func `h2load gets all responses, also without TLS`() throws {
        let secure = try RunningServer.secure(
            database, folder, ["--samples", "--rate-limit", "off"])
        try expectLoad("https://localhost:\(secure.addresses[0].port)")
        #expect(secure.stop() == 0)
        let plain = try RunningServer(database, ["--http2-cleartext", "--rate-limit", "off"])
        try expectLoad("http://localhost:\(plain.addresses[0].port)")
        #expect(plain.stop() == 0)
    }

    private func expectLoad(_ origin: String) throws {
        let program = try RunningProgram(
            "/usr/bin/h2load",
            ["-n", "2000", "-c", "8", "-m", "50", "\(origin)/v1/articles?limit=3"])
        let output = program.output.rest().joined(separator: "\n")
        #expect(output.contains("2000 succeeded, 0 failed, 0 errored"), "\(output)")
        #expect(output.contains("Application protocol: h2"))
    }

    @Test(.enabled(if: Shell.succeeds("/usr/bin/python3 -c 'import h2'"), "python3-h2 is not here"))
    func `python3-h2 reads, writes, resets and is told of the end`() throws {
        let served = try RunningServer.secure(database, folder)
        let client = try Shell.startTool(
            "http2_client.py",
            [
                "--port", "\(served.addresses[0].port)", "--authority", folder.file("server.pem"),
                "--key", RunningServer.adminKey,
            ])
        var lines: [String] = []
        while let line = client.output.next() {
            lines.append(line)
            if line == "waiting" { #expect(served.stop() == 0) }
        }
        #expect(
            lines == ["settings", "writes", "reads", "control", "waiting", "leaving"],
            "\(client.errors.rest())")
        #expect(client.wait() == 0)
    }
}
