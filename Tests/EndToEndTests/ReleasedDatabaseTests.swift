import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Foundation
import Testing

@testable import ArticleDatabase

/// Databases that released programs wrote.
@Suite(.mayBlock) struct ReleasedDatabaseTests {
    /// The key of an editor, whose digest is in the file.
    private static let key =
        "bsk_27c8d59446380197_kml72Z-gM2pX28CJqZDPu67RkqjkG8cQGGVCEQXL5KQ"

    private static func titles(_ response: ReceivedResponse) throws -> [String] {
        try Page<Article>(mapping: response.body).items.map(\.title)
    }

    @Test func `a database of version 0.1.0 is opened and migrated`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Released/0.1.0.sql")
        do {
            let connection = try Connection(path: path, access: .create)
            try connection.execute(script: String(contentsOf: script, encoding: .utf8))
        }
        let old = try Program.run("check", "--database", path)
        #expect(old.status == 65 && old.errors.joined().contains("schema version 7"))

        let served = try RunningServer(path)
        let titles = try Self.titles(served.client.get("/v1/articles"))
        #expect(titles == ["구조체와 클래스", "Hello again", "Imported"])
        let article = try Article(mapping: served.client.get("/v1/articles/hello").body)
        #expect(article.title == "Hello again" && article.revision == 2)
        #expect(article.body == "**Rye** and wheat" && article.tags.map(\.key) == ["bread", "rye"])

        func send(_ method: HTTPMethod, _ path: String, _ body: String = "") throws
            -> ReceivedResponse
        {
            try served.send(method, path, body, key: Self.key)
        }
        #expect(try Self.titles(send(.get, "/v1/articles?status=scheduled")) == ["Later"])
        #expect(try Self.titles(send(.get, "/v1/articles?status=draft")) == ["Draft"])
        let deleted = try send(.get, "/v1/deleted-articles")
        #expect(String(decoding: deleted.body, as: UTF8.self).contains("\"Gone\""))
        let edited = try send(.patch, "/v1/articles/\(article.id)", #"{"title":"Edited"}"#)
        #expect(try Article(mapping: edited.body).revision == 3)

        #expect(served.stop() == 0)
        #expect(try Program.run("check", "--database", path).status == 0)
    }
}
