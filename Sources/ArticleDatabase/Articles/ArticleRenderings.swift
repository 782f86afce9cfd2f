import ArticleAPI
import ArticleStore

/// The HTML of the bodies of articles.
extension SQL {
    fileprivate static let removeRendering: StaticString =
        "DELETE FROM renderings WHERE body = ?1"
    fileprivate static let keepRendering: StaticString = """
        INSERT INTO renderings (body, renderer, html) VALUES (?1, ?2, ?3)
        ON CONFLICT (body) DO UPDATE SET renderer = excluded.renderer, html = excluded.html
        WHERE renderings.renderer <> excluded.renderer
        """
}

extension WriteStep {
    /// Stores the rendered body of an article, but not that of a text that it no longer has.
    func keep(
        _ html: BodyHTML, of id: Article.ID, revision: Int
    ) throws(StoreError) {
        let stored = try state.stored(id, at: revision)
        guard stored.state != .deleted,
            try state.stored(number: stored.number).revision.content.body
                == stored.revision.content.body
        else { return }
        try keep(html, ofBody: stored.revision.content.body)
    }

    /// Removes the rendering of a body: it can be made again.
    func removeRendering(ofBody body: Int64) throws(StoreError) {
        let row = try connection.statement(SQL.removeRendering)
        try row.bind(1, body)
        try row.run()
    }

    /// Stores the rendered body, replacing that of another renderer.
    func keep(_ html: BodyHTML, ofBody body: Int64) throws(StoreError) {
        let row = try connection.statement(SQL.keepRendering)
        try row.bind(1, body)
        try row.bind(2, html.renderer)
        try row.bind(3, html.html)
        try row.run()
    }
}
