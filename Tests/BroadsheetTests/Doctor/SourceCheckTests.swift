import ArticleAPI
import ArticleAdminAPI
import Testing

@testable import broadsheet

@Suite struct SourceCheckTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    private static func source(
        failures: Int, succeededHoursAgo: Int64?, isPaused: Bool = false, interval: Int? = nil
    ) -> ContentSource {
        ContentSource(
            id: ContentSource.ID(at: now), url: "https://example.org/feed?key=secret",
            isPaused: isPaused, intervalSeconds: interval,
            lastSucceededAt: succeededHoursAgo.map {
                now.advanced(byMilliseconds: -$0 * 3_600_000)
            },
            failures: failures, lastError: "https://example.org responded with the status 503",
            createdAt: now.advanced(byMilliseconds: -100 * 3_600_000), updatedAt: now)
    }

    private static func findings(_ sources: ContentSource...) -> Diagnostics {
        var findings = Diagnostics()
        SourceCheck(intervalSeconds: 3_600, now: now).add(sources, &findings)
        return findings
    }

    @Test func `a source that has failed for a day is named, without its URL`() throws {
        for hours in [26, nil] as [Int64?] {
            let source = Self.source(failures: 9, succeededHoursAgo: hours)
            let finding = try #require(Self.findings(source, source).all.first)
            #expect(finding.level == .warning && finding.found.contains("2 sources"))
            #expect(finding.found.contains("\(source.id): https://example.org responded"))
            #expect(!finding.found.contains("secret"))
        }
    }

    @Test func `a source that fails since a short time, is paused or rarely polled is sound`() {
        let findings = Self.findings(
            Self.source(failures: 1, succeededHoursAgo: 24),
            Self.source(failures: 9, succeededHoursAgo: 99, isPaused: true),
            Self.source(failures: 1, succeededHoursAgo: 99, interval: 604_800),
            Self.source(failures: 0, succeededHoursAgo: 99))
        #expect(!findings.hasFault("sources") && findings.all.first?.found.contains("4") == true)
        #expect(Self.findings().all.first?.found == "none")
    }
}
