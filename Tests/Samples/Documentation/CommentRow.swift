import BroadsheetKit

/// The lines of a comment's row: who and when, the text, and what only some readers know.
func commentLines(_ comment: ArticleComment, now: Timestamp) -> [String] {
    let row = CommentPresentation(
        comment, in: .english, now: now, secondsFromGMT: { _ in 9 * 3_600 })
    let facts = [row.authorText, row.dateText].compactMap(\.self).joined(separator: " · ")
    return [facts, row.text] + (row.noteText.map { [$0] } ?? [])
}

/// The title of a search's result, with its matches between asterisks.
func markedTitle(_ hit: SearchHit<Article>, now: Timestamp) -> String {
    let row = ArticlePresentation(hit, in: .english, now: now, secondsFromGMT: { _ in 0 })
    return row.titlePieces.map { $0.isMatch ? "*\($0.text)*" : $0.text }.joined()
}
