import ArticleAPI
import ArticleAdminAPI
import ArticleImportExport
import ArticleServices
import BroadsheetCommandLine

/// The output of the client commands: tables and text for people, JSON for programs.
struct ArticleOutput {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func show(_ page: Page<Article>) throws(CommandFailure) {
        if session.isJSON { return try session.showJSON(page) }
        var table = Table("id", "status", "published", "lang", "title")
        for article in page.items {
            table.add(
                article.id.description, article.status.name,
                article.publishedAt.map { String("\($0)".prefix(10)) } ?? "-", article.language,
                article.title)
        }
        try session.show(table, next: page.next)
    }

    /// Shows scheduled articles by the day on which they become public, in the local time zone.
    func showUpcoming(_ page: Page<Article>, at now: Timestamp) throws(CommandFailure) {
        if session.isJSON { return try session.showJSON(page) }
        let upcoming = UpcomingByDay(
            page.items, now: now, secondsFromGMT: LocalTime.secondsFromGMT)
        guard !upcoming.groups.isEmpty else { return try Console.print("Nothing is scheduled.") }
        var table = Table("time", "id", "lang", "title")
        var headings: [String?] = [nil]
        for group in upcoming.groups {
            for (index, article) in group.articles.enumerated() {
                headings.append(index == 0 ? Self.heading(group.kind) : nil)
                table.add(
                    article.publishedAt.map { LocalTime.text($0) } ?? "-", article.id.description,
                    article.language, article.title)
            }
        }
        for (heading, line) in zip(headings, table.lines(columns: Console.columns - 2)) {
            if let heading { try Console.print(heading) }
            try Console.print("  \(line)")
        }
        session.reportMore(page.next)
    }

    private static func heading(_ kind: UpcomingByDay.Kind) -> String {
        switch kind {
        case .today: "Today"
        case .tomorrow: "Tomorrow"
        case .thisWeek: "This week"
        case .nextWeek: "Next week"
        case .later: "Later"
        }
    }

    func show(_ article: Article) throws(CommandFailure) {
        if session.isJSON { return try session.showJSON(article) }
        try Console.print(String(decoding: MarkdownFile.bytes(of: article), as: UTF8.self))
    }

    func show(_ page: Page<Revision>) throws(CommandFailure) {
        if session.isJSON { return try session.showJSON(page) }
        var table = Table("revision", "action", "time", "editor", "title")
        for revision in page.items {
            table.add(
                "\(revision.number)", "\(revision.action)", "\(revision.createdAt)",
                revision.actor.name ?? revision.actor.id ?? "-", revision.title)
        }
        try session.show(table, next: page.next)
    }

    /// Reports an action on an article.
    func confirm(_ action: String, _ article: Article) throws(CommandFailure) {
        if session.isJSON { return try session.showJSON(article) }
        try Console.print(
            "\(action) \(article.id) (\(article.slug)), revision \(article.revision)")
    }
}
