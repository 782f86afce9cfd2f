import ArticleAPI
import ArticleClient
import ArticleImportExport
import ArticleOffline
import ArticleServices
import BroadsheetTestSupport
import Foundation
import Testing

@testable import broadsheet

/// Somebody who keeps a copy of what a server has.
protocol Follower: Sendable {
    /// Goes on from where it is, as far as it comes: the network may fail.
    func follow(_ server: CutServer) async throws

    /// Expects that its copy is what the server has. It has followed without interruptions.
    func expectEqual(to server: CutServer, _ comment: Testing.Comment) async throws
}

/// A mirror of the SDK, of what everybody sees and a filter matches. Each run is a new launch.
struct MirrorFollower: Follower {
    let folder: TemporaryFolder
    let filter = FetchChangesRequest(limit: 2, tags: ["a"])

    init() throws { folder = try TemporaryFolder() }

    private func store(_ server: CutServer) throws -> ModelStore {
        try ModelStore(.file(folder.file("models")), environment: server.clock.environment)
    }

    func follow(_ server: CutServer) async throws {
        let mirror = ArticleMirror(
            store: try store(server), backend: try server.service(), name: "all", filter: filter)
        do { try await mirror.catchUp() } catch { guard server.isOffline else { throw error } }
    }

    func expectEqual(to server: CutServer, _ comment: Testing.Comment) async throws {
        let shown = try await store(server).loadArticles(
            matching: ArticleQuery(filter), limit: 1_000)
        let listed = try await server.articles().filter { $0.tags.contains { $0.key == "a" } }
        #expect(shown.map(\.article) == listed, comment)
    }
}

/// A folder that `sync` keeps.
struct FolderFollower: Follower {
    let parent: TemporaryFolder
    private var path: String { parent.file("posts") }

    init() throws { parent = try TemporaryFolder() }

    func follow(_ server: CutServer) async throws {
        var run = try SyncRun(
            SyncFolder(path), backend: server.service(), server: "http://localhost",
            filter: FetchChangesRequest(), force: false)
        do { _ = try await run.run() } catch { guard server.isOffline else { throw error } }
    }

    func expectEqual(to server: CutServer, _ comment: Testing.Comment) async throws {
        let listed = try await server.articles(fields: FrontMatter.articleFields.names)
        let expected = Dictionary(
            uniqueKeysWithValues: listed.map { article in
                (SyncFileName.of(article), MarkdownFile.bytes(of: article))
            })
        var found: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where !name.hasPrefix(".") { found[name] = try bytes(of: "\(path)/\(name)") }
        #expect(Set(found.keys) == Set(expected.keys), comment)
        #expect(found == expected, comment)
    }
}
