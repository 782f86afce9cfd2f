import ArticleAPI
import ArticleClient
import ArticleServices
import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleImportExport
@testable import broadsheet

/// A folder that is kept equal to a feed, by runs of `sync` in this process.
final class SyncFixture: Sendable {
    let parent: TemporaryFolder
    let feed: ChangeFeed
    let backend: BackendService
    var path: String { parent.file("posts") }
    private let keptLines = Lock<[String]>([])

    /// The files that the last run reported as kept.
    var kept: [String] { keptLines.withLock { $0 } }

    init(_ feed: ChangeFeed = ChangeFeed()) throws {
        parent = try TemporaryFolder()
        self.feed = feed
        backend = .stub { routes in
            routes.on(FetchChangesRequest.self) { try feed.page($0) }
            routes.on(FetchArticleRequest.self) { try feed.article($0) }
        }
    }

    /// - Parameter interrupt: called before each effect; a run that it fails has crashed.
    @discardableResult func sync(
        tags: [String] = [], force: Bool = false, server: String = "http://localhost",
        interrupt: @escaping (SyncFolder.Effect) throws(CommandFailure) -> Void = { _ in }
    ) async throws -> SyncRun.Report {
        keptLines.withLock { $0 = [] }
        let keptLines = keptLines
        var run = try SyncRun(
            SyncFolder(path, beforeEffect: interrupt), backend: backend, server: server,
            filter: FetchChangesRequest(tags: tags), force: force
        ) { line in keptLines.withLock { $0.append(line) } }
        return try await run.run()
    }

    /// The visible files, by name.
    func files() throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try names() where !name.hasPrefix(".") { files[name] = try read(name) }
        return files
    }

    func names() throws -> [String] {
        guard let stream = opendir(path) else { throw TestFailure("opendir \(path)") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Files.read("\(path)/\(name)"), as: UTF8.self)
    }

    func write(_ text: String, _ name: String) throws {
        guard let file = fopen("\(path)/\(name)", "w") else { throw TestFailure("write \(name)") }
        defer { fclose(file) }
        guard fputs(text, file) >= 0 else { throw TestFailure("write \(name)") }
    }

    func remove(_ name: String) throws {
        guard unlink("\(path)/\(name)") == 0 else { throw TestFailure("unlink \(name)") }
    }

    /// Returns the required content of the folder.
    func expected(_ tag: String? = nil) -> [String: String] {
        let articles = feed.articles.values.filter { article in
            tag.map { tag in article.tags.contains { $0.name == tag } } ?? true
        }
        return Dictionary(
            uniqueKeysWithValues: articles.map { article in
                let text = String(decoding: MarkdownFile.bytes(of: article), as: UTF8.self)
                return ("\(article.slug).md", text)
            })
    }

    func expectEqual(_ tag: String? = nil, at location: SourceLocation = #_sourceLocation) throws {
        #expect(try files() == expected(tag), sourceLocation: location)
    }
}

/// An interruption of a test.
struct Crash {
    /// The number of effects before it.
    let after: Int
    private let count = Counter()

    init(after: Int) { self.after = after }

    var hasHappened: Bool { count.value > after }

    func interrupt(_ effect: SyncFolder.Effect) throws(CommandFailure) {
        guard count.next() < after else { throw CommandFailure(.software, "crash") }
    }
}
