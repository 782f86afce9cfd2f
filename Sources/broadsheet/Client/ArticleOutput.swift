import ArticleAPI

/// The output of the client commands: tables and text for people, JSON for programs.
struct ArticleOutput {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func show(_ page: Page<Article>) throws(CommandFailure) {
        if session.isJSON { return try json(page) }
        var table = Table("id", "status", "published", "lang", "title")
        for article in page.items {
            table.add(
                article.id.description, ArticleDocument.statusName(article.status),
                article.publishedAt.map { String("\($0)".prefix(10)) } ?? "-", article.language,
                article.title)
        }
        try lines(table, next: page.next)
    }

    func show(_ article: Article) throws(CommandFailure) {
        if session.isJSON { return try json(article) }
        try Console.print(String(decoding: ArticleDocument.text(of: article), as: UTF8.self))
    }

    func show(_ page: Page<Revision>) throws(CommandFailure) {
        if session.isJSON { return try json(page) }
        var table = Table("revision", "action", "time", "editor", "title")
        for revision in page.items {
            table.add(
                "\(revision.number)", "\(revision.action)", "\(revision.createdAt)",
                revision.actor.name ?? revision.actor.id ?? "-", revision.title)
        }
        try lines(table, next: page.next)
    }

    /// Reports what was done to an article.
    func confirm(_ action: String, _ article: Article) throws(CommandFailure) {
        if session.isJSON { return try json(article) }
        try Console.print(
            "\(action) \(article.id) (\(article.slug)), revision \(article.revision)")
    }

    private func json(_ item: some JSONRepresentable) throws(CommandFailure) {
        try Console.print(String(decoding: item.json(), as: UTF8.self))
    }

    private func lines(_ table: Table, next: String?) throws(CommandFailure) {
        for line in table.lines(columns: Console.columns) { try Console.print(line) }
        if let next { Console.printStatus("more: --cursor \(next)\n") }
    }
}
