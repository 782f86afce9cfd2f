import ArticleAPI
import ArticleAdminAPI
import ArticleClient
import ArticleDatabase
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform

/// Adds, lists, polls and removes the sources of articles.
struct SourcesCommand: Command {
    static let name = "sources"
    static let summary = "Adds, lists, polls and removes feeds whose articles are imported."
    static let usage =
        "[list] | add URL | show ID | pause ID | resume ID | poll ID | remove ID"
    static let example = "broadsheet sources add https://example.org/feed.atom --publish"
    static let options = [
        Option(
            "name", "NAME", "Name of the source that the articles show (add).",
            default: "the feed's own title"),
        Option("publish", nil, "Publish the articles instead of creating drafts (add)."),
        Option("language", "TAG", "Language (BCP 47) of articles that do not specify one (add)."),
        Option("tag", "TAG", "Tag to add to every article (add).", repeatable: true),
        Option(
            "interval", "SECONDS", "Time between two polls, at least 60 (add).",
            default: "that of the server"),
        CommonOptions.database, CommonOptions.config,
    ]

    enum Action: Sendable {
        case list
        case add(ContentSource.Draft)
        case show(ContentSource.ID)
        case setPaused(ContentSource.ID, Bool)
        case poll(ContentSource.ID)
        case remove(ContentSource.ID)
    }

    let action: Action
    let path: String

    init(_ settings: Settings) throws(CommandFailure) {
        path = settings.database
        let words = settings.operands
        switch (words.first, words.count) {
        case (nil, 0), ("list", 1): action = .list
        case ("add", 2): action = .add(try Self.draft(words[1], settings))
        case ("show", 2): action = .show(try Self.id(words[1]))
        case ("pause", 2): action = .setPaused(try Self.id(words[1]), true)
        case ("resume", 2): action = .setPaused(try Self.id(words[1]), false)
        case ("poll", 2): action = .poll(try Self.id(words[1]))
        case ("remove", 2): action = .remove(try Self.id(words[1]))
        default: throw CommandFailure(.usage, "sources \(Self.usage); see --help")
        }
    }

    private static func id(_ text: String) throws(CommandFailure) -> ContentSource.ID {
        guard let id = ContentSource.ID(text) else {
            throw CommandFailure(.usage, "\"\(text)\" is not a source's id")
        }
        return id
    }

    private static func draft(
        _ url: String, _ settings: Settings
    ) throws(CommandFailure) -> ContentSource.Draft {
        var draft = ContentSource.Draft(url: url)
        draft.name = settings.text("name")
        draft.publishes = try settings.isOn("publish")
        draft.language = try settings.parsed("language", expecting: "a BCP 47 language tag") {
            LanguageTag($0)?.text
        }
        draft.tags = settings.all("tag").map(\.text)
        draft.intervalSeconds = try settings.parsed(
            "interval", expecting: "a whole number from 60 to 604800"
        ) { Int($0).flatMap { ContentSource.intervals.contains($0) ? $0 : nil } }
        do throws(InvalidValue) { try draft.validate() } catch {
            let fault = error.faults.first.map { "\($0.path) \($0.message)" } ?? "it is invalid"
            throw CommandFailure(.usage, "the source cannot be added: \(fault)")
        }
        return draft
    }

    // MARK: Running

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        try await Database.with(path, mode: .existing, in: system) {
            (database) throws(CommandFailure) in
            try await perform(by: UserAdmin(try await database.backend(in: system)), system)
        }
    }

    private func perform(
        by admin: UserAdmin, _ system: SystemEnvironment
    ) async throws(CommandFailure) {
        switch action {
        case .list:
            var request = FetchSourcesRequest(limit: 100)
            repeat {
                let page = try await admin.ask(request)
                for source in page.items { try Console.print(Self.line(source)) }
                request.cursor = page.next
            } while request.cursor != nil
        case .add(let draft):
            let id: ContentSource.ID = system.newID(at: system.now)
            var draft = draft
            draft.id = id
            let request = CreateSourceRequest(draft, idempotencyKey: id.description)
            try Console.print("added \(Self.line(try await admin.ask(request)))")
        case .show(let id):
            try Console.print(Self.page(try await admin.ask(FetchSourceRequest(id: id))))
        case .setPaused(let id, let isPaused):
            let source = try await admin.ask(
                UpdateSourceRequest(id: id, changes: .init(isPaused: .set(isPaused))))
            try Console.print("\(isPaused ? "paused" : "resumed") \(Self.line(source))")
        case .poll(let id):
            _ = try await admin.ask(PollSourceRequest(id: id))
            try Console.print("the source will be polled as soon as the server runs")
        case .remove(let id):
            _ = try await admin.ask(DeleteSourceRequest(id: id))
            try Console.print("removed \(id); its articles stay")
        }
    }

    // MARK: Output

    private static func state(_ source: ContentSource) -> String {
        if source.isPaused { return "paused" }
        if source.failures > 0 { return "failing" }
        return source.lastPolledAt == nil ? "new" : "active"
    }

    private static func line(_ source: ContentSource) -> String {
        let name = source.name ?? source.title ?? ""
        var line =
            "\(source.id)  \(state(source))\t\(source.articleCount)\t\(source.url)\t\(name)"
        if let error = source.lastError { line += "\t\(error)" }
        return line
    }

    /// All attributes, one in each line.
    private static func page(_ source: ContentSource) -> String {
        let interval = source.intervalSeconds.map { "\($0) s" }
        let rows: [(String, String?)] = [
            ("id", source.id.description), ("url", source.url), ("state", state(source)),
            ("name", source.name), ("title", source.title), ("kind", source.kind?.name),
            ("moved to", source.movedTo),
            ("articles", source.publishes ? "are published" : "become drafts"),
            ("language", source.language),
            ("tags", source.tags.isEmpty ? nil : source.tags.joined(separator: ", ")),
            ("interval", interval), ("taken over", "\(source.articleCount)"),
            ("skipped", source.skippedCount == 0 ? nil : "\(source.skippedCount)"),
            ("reason", source.skippedReason),
            ("last poll", source.lastPolledAt?.description),
            ("last success", source.lastSucceededAt?.description),
            ("next poll", source.nextPollAt?.description),
            ("failures", source.failures == 0 ? nil : "\(source.failures)"),
            ("last error", source.lastError),
        ]
        return rows.compactMap { name, value in
            value.map { name + String(repeating: " ", count: 14 - name.count) + $0 }
        }.joined(separator: "\n")
    }
}
