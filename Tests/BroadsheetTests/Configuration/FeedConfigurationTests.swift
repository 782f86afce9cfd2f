import ArticleServices
import BroadsheetCommandLine
import BroadsheetSockets
import Testing

@testable import ArticleResources
@testable import broadsheet

/// The title of feeds, and the URLs in them.
@Suite struct FeedConfigurationTests {
    private func feeds(
        _ arguments: [String], environment: [String: String] = [:], file: String = "{}"
    ) throws -> FeedConfiguration {
        let settings = try Settings(
            options: ServeConfiguration.options, arguments: arguments, environment: environment
        ) { (_) throws(CommandFailure) in Array(file.utf8) }
        return try FeedConfiguration(settings)
    }

    @Test func `URLs and title come from flags, the environment or the file`() throws {
        #expect(try feeds([]).title == "Articles")
        #expect(try feeds(["--feed-title", "A & B"]).title == "A & B")
        #expect(try feeds([], environment: ["BROADSHEET_FEED_TITLE": "C"]).title == "C")
        let file = #"{"feedTitle":"D","publicUrl":"https://example.org"}"#
        #expect(try feeds(["--config", "f.json"], file: file).title == "D")
        #expect(
            try feeds(["--feed-title", "A"], environment: ["BROADSHEET_FEED_TITLE": "C"]).title
                == "A")
    }

    @Test(arguments: [
        ["--public-url", "example.org"], ["--public-url", "https://example.org/?a"],
        ["--public-url", ""], ["--article-url", "https://example.org/"],
        ["--article-url", "/{slug}"], ["--feed-title", ""], ["--feed-title", "a\nb"],
    ])
    func `an invalid value is named, in one line`(arguments: [String]) throws {
        let failure = #expect(throws: CommandFailure.self) { _ = try feeds(arguments) }
        #expect(failure?.message.hasPrefix(arguments[0]) == true)
        #expect(failure?.message.contains("is not") == true)
    }

    @Test(arguments: [
        (["127.0.0.1:8080"], false, "http://127.0.0.1:8080"),
        (["unix:/tmp/s", "[::1]:81"], false, "http://[::1]:81"),
        (["0.0.0.0:443"], true, "https://localhost:443"),
        (["[::]:80"], false, "http://localhost:80"),
        (["unix:/tmp/s"], false, "http://localhost"),
    ])
    func `without a public URL, the first listener counts`(
        listening: [String], isSecure: Bool, server: String
    ) throws {
        let addresses = try feeds([]).addresses(
            listening: listening.flatMap { try SocketAddress.resolve($0) }, isSecure: isSecure)
        #expect(addresses == PublicURLs(server: server))
        let page = "https://example.org/{slug}"
        #expect(
            try feeds(["--article-url", page]).addresses(listening: [], isSecure: false)
                == PublicURLs(server: "http://localhost", articlePage: page))
    }
}
