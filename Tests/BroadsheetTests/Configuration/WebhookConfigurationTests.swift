import ArticleServices
import BroadsheetCommandLine
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleConnectors
@testable import broadsheet

@Suite struct WebhookConfigurationTests {
    private let folder: TemporaryFolder
    private static let secret = "0123456789abcdef0123456789abcdef"

    init() throws { folder = try TemporaryFolder() }

    /// The webhooks of a command line, with a file that contains a secret.
    private func webhooks(
        _ urls: [String], secret: String? = WebhookConfigurationTests.secret,
        environment: [String: String] = [:]
    ) throws -> [String] {
        var arguments = urls.flatMap { ["--webhook", $0] }
        if let secret {
            let file = folder.file("secret")
            let stream = try #require(fopen(file, "w"))
            fputs(secret, stream)
            fclose(stream)
            arguments += ["--webhook-secret-file", file]
        }
        let settings = try Settings(
            options: ServeConfiguration.options, arguments: arguments, environment: environment
        ) { (_) throws(CommandFailure) in [] }
        return try WebhookConfiguration(settings).receivers.map(\.host)
    }

    @Test func `there may be several webhooks, or none`() throws {
        #expect(try webhooks([]) == [])
        #expect(try webhooks([], secret: nil) == [])
        let urls = ["https://a.example.org/1", "https://a.example.org/2", "http://127.0.0.1:80"]
        #expect(try webhooks(urls) == ["a.example.org", "a.example.org", "127.0.0.1"])
        #expect(try webhooks(urls, secret: Self.secret + "\r\n").count == 3)
        #expect(
            try webhooks(["http://[::1]:8080", "http://localhost?a"])
                == ["[::1]:8080", "localhost"])
        let variable = ["BROADSHEET_WEBHOOK": "https://b.example.org,https://c.example.org"]
        #expect(try webhooks([], environment: variable) == ["b.example.org", "c.example.org"])
        #expect(try webhooks((1...16).map { "https://a.example.org/\($0)" }).count == 16)
    }

    @Test(arguments: [
        (["https://a.example.org", "http://b.example.org/hidden"], "--webhook: URL 2 needs https"),
        (["http://127.0.0.1.example.org/hidden"], "--webhook: URL 1 needs https"),
        (["http://192.168.0.1/hidden"], "--webhook: URL 1 needs https"),
        (["http://a.localhost/hidden"], "--webhook: URL 1 needs https"),
        (["https://a@b.example.org/hidden"], "--webhook: URL 1 has a user name or password"),
        (["https://a.example.org/?hidden#b"], "--webhook: URL 1 has a fragment"),
        (["hidden"], "--webhook: URL 1 does not begin with https://"),
        (
            ["https://a.example.org/hidden", "HTTPS://A.example.org:443/hidden"],
            "--webhook: URL 2 is given twice"
        ),
        (
            (1...17).map { "https://a.example.org/\($0)/hidden" },
            "--webhook: there are more than 16 URLs"
        ),
    ])
    func `a wrong URL is rejected without being repeated`(
        urls: [String], beginning: String
    ) throws {
        let failure = try #require(throws: CommandFailure.self) { try webhooks(urls) }
        #expect(failure.status == .usage)
        #expect(failure.message.hasPrefix(beginning) && !failure.message.contains("hidden"))
    }

    @Test func `a webhook needs a secret, which is not too short`() throws {
        let urls = ["https://a.example.org/"]
        let missing = try #require(throws: CommandFailure.self) {
            try webhooks(urls, secret: nil)
        }
        #expect(missing.message.contains("needs --webhook-secret-file"))
        for secret in ["", "short", Self.secret + " ", String(repeating: "a", count: 201)] {
            let wrong = try #require(throws: CommandFailure.self) {
                try webhooks(urls, secret: secret)
            }
            #expect(wrong.status == .configuration)
            #expect(wrong.message.hasPrefix("--webhook-secret-file: \(folder.file("secret")): "))
            #expect(wrong.message.contains("32 to 200 printable ASCII characters"))
        }
    }
}
