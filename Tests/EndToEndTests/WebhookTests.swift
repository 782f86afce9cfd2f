import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Foundation
import Testing

/// Webhooks of a server that is killed, restarted or replaced.
@Suite(.mayBlock) struct WebhookTests {
    private let folder: TemporaryFolder
    private let secret = "the-secret-of-end-to-end-webhooks"

    init() throws {
        folder = try TemporaryFolder()
        try write(secret + "\n", to: folder.file("secret"))
    }

    private func serve(
        _ url: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> RunningServer {
        let base = [
            "serve", "--database", folder.file("a.db"), "--listen", "127.0.0.1:0", "--webhook",
            url, "--webhook-secret-file", folder.file("secret"),
        ]
        let all = environment.merging(["BROADSHEET_ADMIN_KEY": RunningServer.adminKey]) { one, _ in
            one
        }
        return try RunningServer(Program.start(base + arguments, environment: all))
    }

    private func create(_ title: String, _ status: String = "published", on served: RunningServer)
        throws
    {
        let response = try served.send(
            .post, "/v1/articles", #"{"title":"\#(title)","status":"\#(status)"}"#)
        #expect(response.status == 201)
    }

    /// Returns true if the manual's example accepts the signature, and Standard Webhooks'
    /// specification the other one.
    private func isGenuine(_ request: HTTPRequest, secret: String) throws -> Bool {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Resources/manual/webhooks.md"), encoding: .utf8)
        let start = try #require(page.range(of: "```python\nimport hashlib")).lowerBound
        let end = try #require(page.range(of: "```\n", range: start..<page.endIndex)).lowerBound
        let script = """
            \(page[start..<end].dropFirst("```python\n".count))
            import base64, sys
            secret, path, header, id, seconds, signature = sys.argv[1:]
            body = open(path, "rb").read()

            def is_standard(body):
                form = "whsec_"
                key = base64.b64decode(secret[6:]) if secret.startswith(form) else secret.encode()
                signed = f"{id}.{seconds}.".encode() + body
                return signature == "v1," + base64.b64encode(
                    hmac.new(key, signed, hashlib.sha256).digest()).decode()

            for body in [body, body + b" "]:
                print(is_genuine(secret, header, body, tolerance=10**9), is_standard(body))
            """
        try write(request.body, to: folder.file("body"))
        let fields = try [
            "Broadsheet-Signature", "webhook-id", "webhook-timestamp", "webhook-signature",
        ].map { name in try #require(HTTPFieldName(name).flatMap { request.fields[$0] }) }
        let python = try RunningProgram(
            "/usr/bin/env", ["python3", "-c", script, secret, folder.file("body")] + fields)
        let lines = python.output.rest()
        #expect(lines.count == 2 && lines.last == "False False", "\(python.errors.rest())")
        return lines.first == "True True"
    }

    @Test func `changes are signed, and those that were not delivered are sent after kill -9`()
        async throws
    {
        try await WebhookInbox.receiving { inbox, url in
            let first = try serve(url)
            try create("One", on: first)
            try await inbox.waitForRequests(1)
            let request = inbox.requests[0]
            #expect(request.method == .post && request.fields[.userAgent]?.contains("/") == true)
            #expect(String(decoding: request.target.bytes, as: UTF8.self) == "/hook?key=hidden")
            #expect(try isGenuine(request, secret: secret))
            #expect(try !isGenuine(request, secret: "another-secret"))

            inbox.respond("503 Service Unavailable")
            try create("Hidden", "draft", on: first)
            try create("Two", on: first)
            try await inbox.waitForRequests(2)
            try first.waitForError("fails and will be retried: the response has status 503")
            first.program.signal(SIGKILL)
            #expect(first.program.wait() == 128 + SIGKILL)

            let count = inbox.requests.count
            inbox.respond("200 OK")
            let second = try serve(url)
            try await inbox.waitForRequests(count + 1)
            #expect(second.stop() == 0)
            let texts = inbox.texts()
            #expect(texts[1...].allSatisfy { $0 == texts[1] })
            #expect(texts[1].contains(#""title":"Two""#) && !texts[1].contains("One"))
            #expect(!texts.contains { $0.contains("Hidden") || $0.contains("reset") })
            #expect(try Program.run("check", "--database", folder.file("a.db")).status == 0)
        }
    }

    @Test func `a server whose receiver does not respond is replaced, and the new one continues`()
        async throws
    {
        try await WebhookInbox.receiving { inbox, url in
            inbox.respond(nil)
            let old = try serve(url)
            try create("One", on: old)
            try await inbox.waitForRequests(1)
            inbox.respond("200 OK")
            let new = try serve(url, ["--take-over"])
            #expect(old.program.wait() == 0)
            try await inbox.waitForRequests(2)
            #expect(new.stop() == 0)
            let texts = inbox.texts()
            #expect(texts[1] == texts[0])
        }
    }

    @Test func `after a backup was restored, the next batch says that changes may be missing`()
        async throws
    {
        try await WebhookInbox.receiving { inbox, url in
            let (database, backup) = (folder.file("a.db"), folder.file("backup.db"))
            let before = try serve(url)
            try create("One", on: before)
            try await inbox.waitForRequests(1)
            #expect(try Program.run("backup", backup, "--database", database).status == 0)
            #expect(before.stop() == 0)
            let restored = try Program.run("restore", backup, "--replace", "--database", database)
            #expect(restored.status == 0, "\(restored.errors)")
            let after = try serve(url)
            try after.waitForError("skips to the present: the database has a different history")
            try create("Two", on: after)
            try await inbox.waitForRequests(2)
            #expect(after.stop() == 0)
            let texts = inbox.texts()
            #expect(texts.count == 2 && texts[1].contains(#""title":"Two""#))
            #expect(texts.map { $0.hasSuffix(#","reset":true}"#) } == [false, true])
        }
    }

    @Test func `metrics and log name a receiver without path and query`() async throws {
        try await WebhookInbox.receiving { inbox, url in
            inbox.respond("500 Internal Server Error")
            let served = try serve(url, ["--admin-listen", "127.0.0.1:0"])
            let line = try #require(served.program.output.next())
            let address = line.dropFirst("metrics on http://".count).dropLast("/metrics".count)
            let admin = TestClient(try #require(try SocketAddress.resolve(String(address)).first))
            try create("One", on: served)
            let host = url.split(separator: "/")[1]
            let labels = #"{webhook="1",host="\#(host)""#
            let failed = #"broadsheet_webhook_batches_total\#(labels),outcome="failed"} "#
            var page = ""
            repeat { page = try admin.get("/metrics").text } while page.contains(failed + "0\n")
            #expect(page.contains(failed))
            #expect(
                page.contains(
                    #"broadsheet_webhook_batches_total\#(labels),outcome="delivered"} 0"#))
            #expect(page.contains("broadsheet_webhook_failing_seconds\(labels)} "))
            #expect(page.contains("broadsheet_webhook_resets_total\(labels)} 0\n"))
            inbox.respond("200 OK")
            try await inbox.waitForRequests(2)
            #expect(served.stop() == 0)
            let log = served.program.errors.rest().joined(separator: "\n")
            #expect(log.contains("webhook 1 (\(host)) fails and will be retried"))
            for text in [page, log] { #expect(!text.contains("hidden") && !text.contains("hook?")) }
        }
    }

    @Test func `an https receiver gets changes if its certificate is trusted`() async throws {
        let made = try Program.run(
            "certificate", "--self-signed", "localhost", "--out", folder.file("receiver"))
        try #require(made.status == 0, "\(made.errors)")
        let inbox = WebhookInbox()
        var routes = HTTPRouterBuilder()
        routes.on(.post, "/hook", body: .whole()) { request, _ in
            _ = inbox.add(request)
            return HTTPResponse(.noContent)
        }
        var configuration = ServerConfiguration.local()
        configuration.tls = try TLSServer(
            [
                CertificateAndKey(
                    certificate: bytes(of: folder.file("receiver.pem")),
                    key: bytes(of: folder.file("receiver.key")))
            ], protocols: ["http/1.1"], system: .real)
        try await TestServer.run(routes.build(), with: configuration) { receiver in
            let url = "https://localhost:\(receiver.address.port)/hook"
            let distrusting = try serve(url)
            try create("One", on: distrusting)
            try distrusting.waitForError("the certificate is not trusted")
            #expect(distrusting.stop() == 0)
            #expect(inbox.requests.isEmpty)

            let authorities = ["SSL_CERT_FILE": folder.file("receiver.pem")]
            let trusting = try serve(url, environment: authorities)
            try await inbox.waitForRequests(1)
            #expect(inbox.texts()[0].contains(#""title":"One""#))
            #expect(try isGenuine(inbox.requests[0], secret: secret))
            #expect(trusting.stop() == 0)

            let standard = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
            try write(standard, to: folder.file("secret"))

            let named = try serve(url, ["--outbound-ca", folder.file("receiver.pem")])
            try create("Two", on: named)
            try await inbox.waitForRequests(2)
            #expect(inbox.texts()[1].contains(#""title":"Two""#))
            #expect(try isGenuine(inbox.requests[1], secret: standard))
            #expect(named.stop() == 0)
        }
    }
}
