import Foundation
import HTTP
import Network
import TestSupport
import Testing

@Suite struct MetricsTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let listed =
        #"broadsheet_http_requests_total{route="/v1/articles",method="GET",status="200"} 1"#

    /// The page of a server that has answered two requests.
    private func page() throws -> String {
        let served = try Served(
            folder.file("a.db"), ["--samples", "--admin-listen", "127.0.0.1:0"])
        let line = try #require(served.program.output.next())
        #expect(line.hasPrefix("metrics on http://") && line.hasSuffix("/metrics"))
        let address = line.dropFirst("metrics on http://".count).dropLast("/metrics".count)
        #expect(try served.client.get("/v1/articles").status == 200)
        #expect(try served.client.get("/metrics").status == 404, "never public by accident")
        let admin = try #require(try SocketAddress.resolve(String(address)).first)
        var answer = try TestClient(admin).get("/metrics")
        // An answer is counted when it is out: its reader may be here before that.
        for _ in 1...1_000 where !answer.text.contains(Self.listed) {
            answer = try TestClient(admin).get("/metrics")
        }
        #expect(answer.fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(try TestClient(admin).get("/v1/articles").status == 404)
        #expect(served.stop() == 0)
        return answer.text
    }

    @Test func `the operator's listener tells what was served`() throws {
        let page = try page()
        #expect(page.contains(Self.listed))
        #expect(page.contains("\nbroadsheet_change_sequence 19\n"))
    }

    @Test func `README has each metric, and no other`() throws {
        let families = try page().matches(of: /# TYPE ([a-z_]+) ([a-z]+)/)
            .map { "\($0.output.1) \($0.output.2)" }
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let rows = readme.matches(of: /\n\| `([a-z_]+)` \| ([a-z]+) \|/)
            .map { "\($0.output.1) \($0.output.2)" }
        #expect(rows.sorted() == families.sorted())
        #expect(Set(families).count == families.count)
    }
}
