import ArticleAPI
import BroadsheetCommandLine

/// The output of `search`: for people, titles and excerpts in which matches are emphasised.
struct SearchOutput {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func show(_ page: SearchPage<Article>) throws(CommandFailure) {
        if let corrected = page.correctedTo {
            Console.printStatus("nothing was found; these are the results for: \(corrected)\n")
        }
        if session.isJSON { return try session.showJSON(page) }
        guard !page.items.isEmpty else { return try Console.print("Nothing was found.") }
        for hit in page.items {
            try Console.print(Self.spans(hit.title))
            if !hit.excerpt.isEmpty {
                try Console.print([Console.Span("  ")] + Self.spans(hit.excerpt))
            }
            let date = hit.article.publishedAt.map { String("\($0)".prefix(10)) } ?? "-"
            try Console.print("  \(date)  \(hit.article.language)  \(hit.article.slug)")
        }
        session.reportMore(page.next)
    }

    /// The pieces of one line.
    private static func spans(_ pieces: [SearchPiece]) -> [Console.Span] {
        pieces.map { piece in
            let line = piece.text.replacing(/\s+/, with: " ")
            return Console.Span(line, isEmphasised: piece.isMatch)
        }
    }
}
