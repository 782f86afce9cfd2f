import ArticleStore
import BroadsheetCommandLine
import Testing

@testable import broadsheet

@Suite struct RetentionConfigurationTests {
    private func rules(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws -> RetentionRules {
        let settings = try Settings(
            options: ServeConfiguration.options, arguments: arguments, environment: environment
        ) { (_) throws(CommandFailure) in [] }
        return try RetentionConfiguration(settings).rules
    }

    @Test func `everything is kept by default`() throws {
        #expect(try rules([]) == RetentionRules())
    }

    @Test(
        arguments: [
            ("100", 100, nil), ("90d", nil, 90 * RetentionRules.day), ("36h", nil, 129_600_000),
            ("100,52w", 100, 364 * RetentionRules.day), ("1h,1", 1, 3_600_000),
        ] as [(String, Int?, Int64?)])
    func `revisions are kept by number, age or both`(
        _ text: String, _ number: Int?, _ age: Int64?
    ) throws {
        let found = try rules(["--keep-revisions", text])
        #expect(found.revisions == number && found.revisionMilliseconds == age)
        #expect(found.deletedMilliseconds == nil)
        #expect(try rules([], environment: ["BROADSHEET_KEEP_REVISIONS": text]) == found)
    }

    @Test(arguments: [
        "", "0", "10001", "-1", "d", "0d", "90", "90 d", "90d,30d", "1,2", "1,", ",1d", "1.5d",
        "90D",
        "99999999999999999999w", "876001h",
    ])
    func `anything else is rejected`(_ text: String) {
        if text != "90" {
            #expect(throws: CommandFailure.self) { try rules(["--keep-revisions", text]) }
        }
        #expect(throws: CommandFailure.self) { try rules(["--keep-deleted", text]) }
    }

    @Test func `deleted articles are kept for at least a day`() throws {
        #expect(try rules(["--keep-deleted", "24h"]).deletedMilliseconds == RetentionRules.day)
        #expect(throws: CommandFailure.self) { try rules(["--keep-deleted", "23h"]) }
    }
}
