import ArticleAPI
import ArticleClient
import BroadsheetCommandLine
import BroadsheetPlatform

/// Lists and changes the bookmarks of the user that `login` has signed in.
struct BookmarksCommand: Command {
    static let name = "bookmarks"
    static let summary = "Lists, adds and removes the user's bookmarks at a backend."
    static let usage = "[list] | add ARTICLE | remove ARTICLE"
    static let example = "broadsheet bookmarks add your-first-request --position 0.4"
    static let options =
        [
            Option("position", "N", "How far the article was read, from 0 to 1 (add)."),
            PageOptions.limit("list"), PageOptions.cursor("list"),
        ] + Session.options

    enum Action: Sendable {
        case list(FetchBookmarksRequest)
        case add(Article.Key, Bookmark.Place)
        case remove(Article.Key)
    }

    let action: Action
    let session: Session

    init(_ settings: Settings) throws(CommandFailure) {
        let words = settings.operands
        switch (words.first ?? "list", max(words.count, 1)) {
        case ("list", 1):
            action = .list(
                FetchBookmarksRequest(
                    limit: try settings.limit(), cursor: settings.text("cursor")))
        case ("add", 2):
            let position = try settings.parsed("position", expecting: "a number from 0 to 1") {
                Double($0).flatMap { (0...1).contains($0) ? $0 : nil }
            }
            action = .add(Article.Key(operand: words[1]), Bookmark.Place(position: position))
        case ("remove", 2): action = .remove(Article.Key(operand: words[1]))
        default: throw CommandFailure(.usage, "bookmarks \(Self.usage); see --help")
        }
        session = try Session(settings)
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let output = CommentOutput(session)
        switch action {
        case .list(let request):
            let page = try await session.ask(request)
            try output.show(page, titles: session.isJSON ? [:] : await titles(of: page))
        case .add(let key, let place):
            let request = PutBookmarkRequest(
                articleID: try await session.id(of: key), place: place)
            try output.confirm(try await session.ask(request))
        case .remove(let key):
            let id = try await session.id(of: key)
            _ = try await session.ask(DeleteBookmarkRequest(articleID: id))
            Console.printStatus("removed \(id)\n")
        }
    }

    private func titles(of page: Page<Bookmark>) async -> [Article.ID: String] {
        var titles: [Article.ID: String] = [:]
        for bookmark in page.items {
            let request = FetchArticleRequest(key: .id(bookmark.articleID))
            // An article may have been deleted since the list was made.
            let article = try? await session.ask(PartialRequest(request, fields: ["id", "title"]))
            titles[bookmark.articleID] = article?.title
        }
        return titles
    }
}
