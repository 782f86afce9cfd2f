import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Foundation
import Testing

@Suite(.mayBlock) struct MetricsTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let listed = [
        #"{route="/v1/articles",method="GET",status="200"} 1"#,
        #"{route="/v1/articles",method="OPTIONS",status="204"} 1"#,
        #"{route="/v1/articles",method="PUT",status="405"} 1"#,
        #"{route="",method="",status="400"} 1"#,
    ].map { "\nbroadsheet_http_requests_total\($0)\n" }

    /// The metrics page of a server that has served a few requests.
    private func page() throws -> String {
        let served = try RunningServer(
            folder.file("a.db"), ["--samples", "--admin-listen", "127.0.0.1:0"])
        let line = try #require(served.program.output.next())
        #expect(line.hasPrefix("metrics on http://") && line.hasSuffix("/metrics"))
        let address = line.dropFirst("metrics on http://".count).dropLast("/metrics".count)
        #expect(try served.client.get("/v1/articles").status == 200)
        #expect(try served.client.get("/metrics").status == 404, "never public by accident")
        #expect(try served.client.send(.options, "/v1/articles").status == 204)
        #expect(try served.client.send(.put, "/v1/articles").status == 405)
        let garbage = try RawConnection(served.addresses[0])
        try garbage.send("no request\r\n\r\n")
        #expect(try garbage.response().status == 400)
        let admin = try #require(try SocketAddress.resolve(String(address)).first)
        var response = try TestClient(admin).get("/metrics")
        // A response is counted after it was sent, which its client may observe earlier.
        for _ in 1...1_000 where !Self.listed.allSatisfy(response.text.contains) {
            response = try TestClient(admin).get("/metrics")
        }
        #expect(response.fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(try TestClient(admin).get("/v1/articles").status == 404)
        #expect(try TestClient(admin).get("/livez").text == "ok\n")
        #expect(try TestClient(admin).get("/readyz").text == "ready\n")
        #expect(served.stop() == 0)
        return response.text
    }

    @Test func `the admin listener reports what was served`() throws {
        let page = try page()
        for line in Self.listed { #expect(page.contains(line)) }
        let rejected = /broadsheet_http_request_bytes_total\{route="",[^}]*status="400"\} 14\n/
        #expect(page.contains(rejected))
        #expect(page.contains("\nbroadsheet_change_sequence 21\n"))
        let articles = #"{route="/v1/articles",method="GET",status="200"}"#
        #expect(page.contains("\nbroadsheet_http_request_bytes_total\(articles) "))
        #expect(!page.contains("\nbroadsheet_http_request_bytes_total\(articles) 0\n"))
        #expect(page.contains("\nbroadsheet_cache_misses_total 1\n"))
        #expect(page.contains("\nbroadsheet_cache_answers 1\n"))
        #expect(page.contains("\nbroadsheet_store_writes_per_commit_bucket{le=\"+Inf\"} "))
        #expect(page.contains("\nbroadsheet_work_queue_depth{queue=\"markdown\"} 0\n"))
        #expect(page.contains("\nbroadsheet_tls_handshake_failures_total{reason=\"gone\"} 0\n"))
        #expect(page.contains("\nbroadsheet_store_commit_seconds 0.0\n"))
        #expect(page.contains("\nbroadsheet_disk_free_bytes{holds=\"database\"} "))
        #expect(page.contains("\nbroadsheet_backup_age_seconds +Inf\n"))
    }

    /// The metric families of a page, with their types.
    private static func families(_ page: String) -> [String: String] {
        let found = page.matches(of: /# TYPE ([a-z_]+) ([a-z]+)/)
        return Dictionary(
            found.map { (String($0.output.1), String($0.output.2)) }, uniquingKeysWith: { $1 })
    }

    @Test func `each family has a help text, and a unit if its name contains one`() throws {
        let page = try page()
        for family in Self.families(page).keys {
            #expect(page.contains("# HELP \(family) "))
            for unit in ["seconds", "bytes"] where family.contains("_\(unit)") {
                #expect(page.contains("# UNIT \(family) \(unit)\n"), "\(family)")
            }
        }
    }

    /// A file of the package.
    private static func text(_ path: String) throws -> String {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func `the dashboard queries all metrics of the page, and no others`() throws {
        let families = Self.families(try page())
        let text = try Self.text("Resources/grafana/broadsheet.json")
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let panels = try #require(json["panels"] as? [[String: Any]])
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        var asked: Set<String> = []
        for panel in panels {
            let targets = panel["targets"] as? [[String: Any]] ?? []
            #expect(!targets.isEmpty || panel["type"] as? String == "row")
            for target in targets {
                let expression = try #require(target["expr"] as? String)
                let names = expression.matches(of: /(?:broadsheet|process)_[a-z_]+/)
                #expect(!names.isEmpty, "\(expression)")
                for name in names.map({ String($0.output) }) {
                    let family = ["_bucket", "_sum", "_count"].lazy
                        .filter { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) }
                        .first { families[$0] == "histogram" }
                    #expect(families[family ?? name] != nil, "\(name)")
                    asked.insert(family ?? name)
                }
            }
        }
        #expect(asked == Set(families.keys))
    }

    @Test func `alerts name metrics of the page, and the manual has a section for each`() throws {
        let families = Self.families(try page())
        let rules = try Self.text("Resources/prometheus/alerts.yml")
        let names = rules.matches(of: /\b(?:broadsheet|process)_[a-z_]+/).map { String($0.output) }
        #expect(names.count > 17)
        for name in names {
            let family = name.hasSuffix("_bucket") ? String(name.dropLast(7)) : name
            #expect(families[family] != nil, "\(name)")
        }
        let alerts = rules.matches(of: /- alert: ([A-Za-z]+)\n/).map { String($0.output.1) }
        let pages = rules.matches(of: /runbook_url: .*\/manual\/alerts\.md#([a-z]+)\n/)
        #expect(pages.map { String($0.output.1) } == alerts.map { $0.lowercased() })
        let sections = try Self.text("Resources/manual/alerts.md").matches(of: /\n## ([A-Za-z]+)\n/)
        #expect(sections.map { String($0.output.1) } == alerts)
        let tested = try Self.text("Tests/Alerts/alerts.yml")
        for alert in alerts { #expect(tested.contains("        alertname: \(alert)\n")) }
    }

    @Test func `the manual lists exactly the metrics of the page`() throws {
        let families = try page().matches(of: /# TYPE ([a-z_]+) ([a-z]+)/)
            .map { "\($0.output.1) \($0.output.2)" }
        let rows = try Self.text("Resources/manual/metrics.md")
            .matches(of: /\n\| `([a-z_]+)` \| ([a-z]+) \|/)
            .map { "\($0.output.1) \($0.output.2)" }
        #expect(rows.sorted() == families.sorted())
        #expect(Set(families).count == families.count)
    }
}
