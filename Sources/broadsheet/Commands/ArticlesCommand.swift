import ArticleAPI
import ArticleAdminAPI
import ArticleClient
import ArticleImportExport
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetHTTP
import BroadsheetPlatform

/// Reads and writes articles of a local or remote backend through the SDK.
struct ArticlesCommand: Command {
    static let name = "articles"
    static let summary = "Lists, shows, creates, edits, deletes and restores articles of a backend."
    static let usage =
        "list | upcoming | get ARTICLE | create [FILE] | edit ARTICLE | delete ARTICLE"
        + " | history ARTICLE | restore ARTICLE REVISION"
    static let example = "broadsheet articles list --tag swift --server http://localhost:8080"
    static let options =
        ArticleFilter.options("list, upcoming", status: "list") + [
            PageOptions.limit("list, history"), PageOptions.cursor("list, upcoming, history"),
        ] + Session.options

    enum Action: Sendable {
        case list(FetchArticlesRequest)
        case upcoming(FetchArticlesRequest)
        case get(Article.Key)
        /// Reads a file, or standard input for `-`; `nil` opens the editor.
        case create(String?)
        case edit(Article.Key)
        case delete(Article.Key)
        case history(Article.Key, limit: Int?, cursor: String?)
        case restore(Article.Key, Int)
    }

    let action: Action
    let session: Session

    init(_ settings: Settings) throws(CommandFailure) {
        action = try Self.action(settings)
        session = try Session(settings)
    }

    private static func action(_ settings: Settings) throws(CommandFailure) -> Action {
        let words = settings.operands
        switch (words.first, words.count) {
        case ("list", 1): return .list(try listRequest(settings))
        case ("upcoming", 1): return .upcoming(try upcomingRequest(settings))
        case ("get", 2): return .get(Article.Key(operand: words[1]))
        case ("create", 1...2): return .create(words.count == 2 ? words[1] : nil)
        case ("edit", 2): return .edit(Article.Key(operand: words[1]))
        case ("delete", 2): return .delete(Article.Key(operand: words[1]))
        case ("history", 2):
            return .history(
                Article.Key(operand: words[1]), limit: try settings.limit(),
                cursor: settings.text("cursor"))
        case ("restore", 3):
            guard let number = Int(words[2]), number > 0 else {
                throw CommandFailure(.usage, "\"\(words[2])\" is not a revision number")
            }
            return .restore(Article.Key(operand: words[1]), number)
        default: throw CommandFailure(.usage, "articles \(usage); see --help")
        }
    }

    private static func listRequest(
        _ settings: Settings
    ) throws(CommandFailure) -> FetchArticlesRequest {
        let filter = try ArticleFilter(settings)
        return FetchArticlesRequest(
            limit: try settings.limit(), cursor: settings.text("cursor"), tags: filter.tags,
            author: filter.author, language: filter.language, status: filter.status)
    }

    /// The list with its filters, but of everything that is scheduled, in the order of publication.
    private static func upcomingRequest(
        _ settings: Settings
    ) throws(CommandFailure) -> FetchArticlesRequest {
        var request = try listRequest(settings)
        request.limit = nil
        request.status = .scheduled
        request.sort = .oldestFirst
        return request
    }

    // MARK: Running

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        switch action {
        case .list(let request): try ArticleOutput(session).show(try await session.ask(request))
        case .upcoming(let request):
            try ArticleOutput(session).showUpcoming(
                try await session.upcoming(request, at: system.now), at: system.now)
        case .get(let key):
            try ArticleOutput(session).show(try await session.ask(FetchArticleRequest(key: key)))
        case .create(let file): try await create(file, at: system.now)
        case .edit(let key): try await edit(key, in: system)
        case .delete(let key): try await delete(key)
        case .history(let key, let limit, let cursor):
            let request = FetchRevisionsRequest(
                id: try await session.id(of: key), limit: limit, cursor: cursor)
            try ArticleOutput(session).show(try await session.ask(request))
        case .restore(let key, let number):
            let request = RestoreRevisionRequest(id: try await session.id(of: key), number: number)
            try ArticleOutput(session).confirm("restored", try await session.ask(request))
        }
    }

    private func create(_ file: String?, at time: Timestamp) async throws(CommandFailure) {
        let draft =
            if let file { try Self.draft(file, at: time) } else { try Self.editedDraft(at: time) }
        let article = try await session.ask(CreateArticleRequest(article: draft))
        try ArticleOutput(session).confirm("created", article)
    }

    private static let draftLimitBytes = 8 << 20

    /// Reads Markdown with front matter, or JSON as the API accepts it.
    private static func draft(
        _ file: String, at time: Timestamp
    ) throws(CommandFailure) -> Article.Draft {
        let bytes =
            file == "-"
            ? try Console.readInput(limitBytes: draftLimitBytes)
            : try Files.read(file, limitBytes: draftLimitBytes)
        let name = file.split(separator: "/").last.map(String.init) ?? file
        guard bytes.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") else {
            return try ArticleDocument(bytes, name: name).newDraft(at: time)
        }
        do {
            return try Article.Draft(strict: JSONParser.parse(bytes))
        } catch let error as JSONSyntaxError {
            throw CommandFailure(.dataError, "\(name):\(error.line): \(error.message)")
        } catch let error as InvalidValue {
            let fault = error.faults.first.map { "\($0.path) \($0.message)" } ?? "is not an article"
            throw CommandFailure(.dataError, "\(name): \(fault)")
        } catch { throw CommandFailure(.dataError, "\(name): \(error)") }
    }

    private static func editedDraft(at time: Timestamp) throws(CommandFailure) -> Article.Draft {
        let template = Array("---\ntitle: \nlang: en\nstatus: draft\ntags: []\n---\n\n".utf8)
        let text = try Editor.edit(template)
        guard text != template else {
            throw CommandFailure(.dataError, "the text was not changed; no article was created")
        }
        return try ArticleDocument(text, name: "article.md").newDraft(at: time)
    }

    /// Sends the entity tag along, so a concurrent change is not overwritten.
    private func edit(
        _ key: Article.Key, in system: SystemEnvironment
    ) async throws(CommandFailure) {
        let reply = try await session.reply(to: FetchArticleRequest(key: key))
        let text = MarkdownFile.bytes(of: reply.item)
        let edited = try Editor.edit(text)
        let changes = try ArticleDocument(edited, name: "article.md")
            .changes(from: ArticleDocument(text, name: "article.md"))
        guard changes != Article.Changes() else {
            return Console.printStatus("nothing was changed\n")
        }
        let request = UpdateArticleRequest(
            id: reply.item.id, expected: reply.etag.map { .tags([$0]) }, changes: changes)
        do throws(CommandFailure) {
            try ArticleOutput(session).confirm("changed", try await session.ask(request))
        } catch {
            throw CommandFailure(error.status, error.message + Self.rescued(edited, at: system.now))
        }
    }

    /// Saves an edit that the backend rejected, so that it is not lost.
    private static func rescued(_ text: [UInt8], at time: Timestamp) -> String {
        let path = "article-\(time.milliseconds).md"
        guard (try? Files.writePrivate(String(decoding: text, as: UTF8.self), to: path)) != nil
        else { return "" }
        return " (your text was saved to \(path))"
    }

    private func delete(_ key: Article.Key) async throws(CommandFailure) {
        let id = try await session.id(of: key)
        _ = try await session.ask(DeleteArticleRequest(id: id))
        Console.printStatus("deleted \(id)\n")
    }
}
