import ArticleAPI
import ArticleClient
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform

/// Reads, writes and moderates comments of a local or remote backend through the SDK.
struct CommentsCommand: Command {
    static let name = "comments"
    static let summary = "Lists, writes, shows, hides and deletes comments of a backend."
    static let usage = "list ARTICLE | add ARTICLE | show ID | hide ID | delete ID | --pending"
    static let example = "broadsheet comments --pending --server https://articles.example.org"
    static let options =
        [
            Option("pending", nil, "List comments on all articles that await approval."),
            Option("reply-to", "ID", "The comment to reply to (add)."),
            PageOptions.limit("list, --pending"), PageOptions.cursor("list, --pending"),
        ] + Session.options

    enum Action: Sendable {
        case list(Article.Key, limit: Int?, cursor: String?)
        case pending(FetchAllCommentsRequest)
        /// Reads standard input, or opens the editor at a terminal.
        case add(Article.Key, parent: ArticleComment.ID?)
        case set(ArticleComment.Status, ArticleComment.ID)
        case delete(ArticleComment.ID)
    }

    let action: Action
    let session: Session

    init(_ settings: Settings) throws(CommandFailure) {
        action = try Self.action(settings)
        session = try Session(settings)
    }

    private static func action(_ settings: Settings) throws(CommandFailure) -> Action {
        let words = settings.operands
        if try settings.isOn("pending") {
            try settings.rejectOperands()
            return .pending(
                FetchAllCommentsRequest(
                    status: .pending, limit: try settings.limit(),
                    cursor: settings.text("cursor")))
        }
        switch (words.first, words.count) {
        case ("list", 2):
            return .list(
                Article.Key(operand: words[1]), limit: try settings.limit(),
                cursor: settings.text("cursor"))
        case ("add", 2):
            let parent = try settings.parsed("reply-to", expecting: "a comment's id") {
                ArticleComment.ID($0)
            }
            return .add(Article.Key(operand: words[1]), parent: parent)
        case ("show", 2): return .set(.visible, try id(words[1]))
        case ("hide", 2): return .set(.hidden, try id(words[1]))
        case ("delete", 2): return .delete(try id(words[1]))
        default: throw CommandFailure(.usage, "comments \(usage); see --help")
        }
    }

    private static func id(_ text: String) throws(CommandFailure) -> ArticleComment.ID {
        guard let id = ArticleComment.ID(text) else {
            throw CommandFailure(.usage, "\"\(text)\" is not a comment's id")
        }
        return id
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let output = CommentOutput(session)
        switch action {
        case .list(let key, let limit, let cursor):
            let request = FetchCommentsRequest(
                articleID: try await session.id(of: key), limit: limit, cursor: cursor)
            try output.show(try await session.ask(request))
        case .pending(let request): try output.show(try await session.ask(request))
        case .add(let key, let parent):
            try output.confirm("added", try await add(to: key, parent: parent, system))
        case .set(let status, let id):
            let request = UpdateCommentRequest(id: id, changes: .init(status: .set(status)))
            try output.confirm(
                status == .hidden ? "hid" : "showed", try await session.ask(request))
        case .delete(let id):
            _ = try await session.ask(DeleteCommentRequest(id: id))
            Console.printStatus("deleted \(id)\n")
        }
    }

    private static let limitBytes = 64 << 10

    private func add(
        to key: Article.Key, parent: ArticleComment.ID?, _ system: SystemEnvironment
    ) async throws(CommandFailure) -> ArticleComment {
        let article = try await session.id(of: key)
        let text =
            Console.inputIsTerminal
            ? try Editor.edit([]) : try Console.readInput(limitBytes: Self.limitBytes)
        var body = String(decoding: text, as: UTF8.self)
        while body.last?.isNewline == true { body.removeLast() }
        guard !body.isEmpty else {
            throw CommandFailure(.dataError, "there is no text; no comment was written")
        }
        let id: ArticleComment.ID = system.newID(at: system.now)
        // With a key, a request whose response is lost can be repeated.
        return try await session.ask(
            CreateCommentRequest(
                articleID: article,
                comment: ArticleComment.Draft(id: id, parentID: parent, body: body),
                idempotencyKey: id.description))
    }
}
