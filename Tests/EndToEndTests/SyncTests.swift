import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

@testable import DocumentationSamples

/// Copies and folders that follow a running server.
@Suite(.mayBlock) struct SyncTests {
    let folder: TemporaryFolder
    let served: RunningServer
    let backend: BackendService

    init() throws {
        folder = try TemporaryFolder()
        served = try RunningServer(folder.file("a.db"), ["--samples"])
        let baseURL = try #require(BaseURL("http://\(served.addresses[0])"))
        backend = BackendService(
            configuration: .patient(baseURL),
            auth: BackendAuth(token: RunningServer.adminKey))
    }

    private func sync(_ more: String..., key: String? = nil) throws -> Program.Ended {
        var environment = ["XDG_CONFIG_HOME": folder.file("config")]
        if let key { environment["BROADSHEET_KEY"] = key }
        let program = try Program.start(
            ["sync", folder.file("posts"), "--server", "http://\(served.addresses[0])"] + more,
            environment: environment)
        let output = program.output.rest()
        let errors = program.errors.rest()
        return Program.Ended(status: program.wait(), output: output, errors: errors)
    }

    private func names() throws -> Set<String> {
        guard let stream = opendir(folder.file("posts")) else { throw TestFailure("opendir") }
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.insert(name) }
        }
        return names
    }

    /// The names of the files of all articles that an anonymous client sees.
    private func expected() async throws -> Set<String> {
        let reader = BackendService(configuration: backend.configuration, cache: nil)
        var names: Set<String> = []
        for try await article in reader.pages(of: FetchArticlesRequest()).items {
            names.insert("\(article.slug).md")
        }
        return names
    }

    @Test func `a folder follows what is public`() async throws {
        #expect(try sync().status == 0)
        #expect(try await names() == expected())
        let draft = try await backend.send(
            CreateArticleRequest(article: .init(title: "Hidden", body: "Not yet.")))
        #expect(try sync().output == [#"{"written":0,"removed":0,"unchanged":17,"kept":0}"#])
        try await backend.send(
            UpdateArticleRequest(id: draft.id, changes: .init(status: .set(.published))))
        #expect(try sync().output == [#"{"written":1,"removed":0,"unchanged":17,"kept":0}"#])
        #expect(try read(folder.file("posts/hidden.md")).hasSuffix("\n\nNot yet."))
        try await backend.send(
            UpdateArticleRequest(id: draft.id, changes: .init(slug: .set("shown"))))
        #expect(try sync().output == [#"{"written":1,"removed":1,"unchanged":17,"kept":0}"#])
        try await backend.send(
            UpdateArticleRequest(id: draft.id, changes: .init(status: .set(.archived))))
        #expect(try sync().output == [#"{"written":0,"removed":1,"unchanged":17,"kept":0}"#])
        #expect(try await names() == expected())
    }

    @Test func `another key and another filter start anew`() async throws {
        let draft = try await backend.send(
            CreateArticleRequest(article: .init(title: "Hidden", tags: ["writing"])))
        #expect(try sync(key: RunningServer.adminKey).status == 0)
        #expect(try names().contains("hidden.md"))
        #expect(try sync().output == [#"{"written":0,"removed":1,"unchanged":17,"kept":0}"#])
        #expect(try sync("--tag", "writing", key: RunningServer.adminKey).status == 0)
        #expect(try names().contains("\(draft.slug).md"))
        #expect(try names().count < 17)
    }

    @Test func `a terminal shows a summary in words`() throws {
        let arguments = [
            "sync", folder.file("posts"), "--server", "http://\(served.addresses[0])",
        ]
        for summary in ["17 written, 0 removed, 0 unchanged", "0 written, 0 removed, 17 unchanged"]
        {
            let terminal = try PseudoTerminal(Program.path(), arguments)
            try terminal.screen(with: summary)
            #expect(terminal.wait() == 0)
        }
    }

    @Test func `a local change is kept, and force undoes it`() async throws {
        #expect(try sync().status == 0)
        let path = folder.file("posts/your-first-request.md")
        let original = try read(path)
        try write("Mine.", to: path)
        let kept = try sync()
        #expect(kept.status == 65)
        #expect(kept.errors.first == "your-first-request.md: changed locally; kept as it is")
        #expect(try sync("--force").status == 0)
        #expect(try read(path) == original)
    }

    @Test func `a folder that is imported elsewhere gives the same articles`() async throws {
        let draft = Article.Draft(
            title: "All: \"of\" it", summary: "# Summary", body: "Text.\n", language: "ko",
            authors: [.name("Mina"), .name("Weber, Jonas")], tags: ["C++", "a b"],
            status: .published, publishedAt: Timestamp("2016-02-01T18:15:30.123Z"),
            source: Article.Source(name: "The Other Paper", url: "https://example.org/1"))
        let article = try await backend.send(CreateArticleRequest(article: draft))
        #expect(try sync().status == 0)
        let other = folder.file("other.db")
        let ended = try Program.run("import", folder.file("posts"), "--database", other)
        #expect(ended.status == 0)
        let second = try RunningServer(other)
        let baseURL = try #require(BaseURL("http://\(second.addresses[0])"))
        let copies = BackendService(configuration: .patient(baseURL))
        let copy = try await copies.send(FetchArticleRequest(key: .slug(article.slug)))
        #expect(copy.draft.title == draft.title && copy.summary == draft.summary)
        #expect(copy.body == draft.body && copy.language == draft.language)
        #expect(copy.authors.map(\.name) == ["Mina", "Weber, Jonas"])
        #expect(copy.tags.map(\.name) == draft.tags && copy.source == draft.source)
        #expect(copy.publishedAt == draft.publishedAt)
    }

    @Test func `the documentation's copy follows an edit and a deletion`() async throws {
        let kept = Locked(Titles())
        func follow() async throws -> Titles {
            var titles = kept.withLock { $0 }
            try await DocumentationSamples.follow(&titles, on: backend) { titles in
                kept.withLock { $0 = titles }
            }
            return titles
        }
        let article = try await backend.send(
            CreateArticleRequest(article: .init(title: "Mine", tags: ["writing"])))
        let first = try await follow()
        #expect(first.isComplete && first.titles[article.id] == "Mine")
        try await backend.send(
            UpdateArticleRequest(article, changes: .init(title: .set("Ours"))))
        let second = try await follow()
        #expect(second.titles[article.id] == "Ours")
        try await backend.send(DeleteArticleRequest(id: article.id))
        let third = try await follow()
        #expect(third.titles[article.id] == nil)
        #expect(third.titles.count == first.titles.count - 1)
        #expect(try await follow() == third)
    }
}
