import ArticleAPI
import ArticleServiceCore
import ArticleStore

/// Renders comments as HTML, apart from articles.
struct CommentRenderer: Sendable {
    private let markdown: MarkdownRenderer
    private let htmlBytes = MarkdownLimits.forComments.outputBytes

    init(_ markdown: MarkdownRenderer) { self.markdown = markdown }

    /// Number of comments waiting for the worker.
    var waiting: Int { markdown.waiting }

    /// - Throws: `.invalid` with a pointer to the body if it exceeds a limit, and like
    ///   `MarkdownRenderer`.
    func render(_ body: String, for client: UInt64) async throws(ServiceError) -> BodyHTML {
        let html = CommentMarkup.marked(try await markdown.render(body, for: client).html)
        guard html.utf8.count <= htmlBytes else {
            throw .invalidValue("/body", "renders to more than \(htmlBytes) bytes of HTML")
        }
        return BodyHTML(renderer: CommentMarkup.renderer, html: html)
    }

    /// A comment that was written before its HTML was stored, or rendered by an older library: no
    /// HTML for a text that the renderer rejects.
    func renderOld(_ body: String) async throws(ServiceError) -> BodyHTML {
        do throws(ServiceError) {
            return try await render(body, for: MarkdownRenderer.readers)
        } catch {
            guard case .invalid = error else { throw error }
            return BodyHTML(renderer: CommentMarkup.renderer, html: nil)
        }
    }
}
