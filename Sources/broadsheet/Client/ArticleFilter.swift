import ArticleAPI
import BroadsheetCommandLine

/// The articles that a client command concerns.
struct ArticleFilter: Sendable {
    let tags: [String]
    let author: Author.ID?
    let language: String?
    let status: Article.Status?

    /// - Parameters:
    ///   - actions: those that have the filter, if the command has others.
    ///   - status: those that have the filter by status, if they are others.
    static func options(_ actions: String? = nil, status: String? = nil) -> [Option] {
        let suffix = (status ?? actions).map { " (\($0))." } ?? "."
        return contentOptions(actions) + [
            Option(
                "status", "STATUS",
                "Only articles with this status: draft, scheduled, published or archived"
                    + suffix)
        ]
    }

    /// Those that also concern commands in which all articles have one status.
    static func contentOptions(_ actions: String? = nil) -> [Option] {
        let suffix = actions.map { " (\($0))." } ?? "."
        return [
            Option("tag", "TAG", "Only articles with this tag\(suffix)", repeatable: true),
            Option("author", "ID", "Only articles by this author\(suffix)"),
            Option("language", "TAG", "Only articles in this language\(suffix)"),
        ]
    }

    init(_ settings: Settings) throws(CommandFailure) {
        let statuses: [String: Article.Status] = [
            "draft": .draft, "scheduled": .scheduled, "published": .published,
            "archived": .archived,
        ]
        tags = settings.all("tag").map(\.text)
        author = try settings.parsed("author", expecting: "an author's id") { Author.ID($0) }
        language = try settings.parsed("language", expecting: "a BCP 47 language tag") {
            LanguageTag($0)?.text
        }
        status = try settings.parsed("status", expecting: "a status") { statuses[$0] }
    }
}
