import BroadsheetKit

/// A screen that edits a draft, with undo and redo.
@MainActor final class DraftEditor {
    private let history: EditHistory<Article.Draft>

    var draft: Article.Draft { history.value }

    init(_ draft: Article.Draft, show: @escaping (Article.Draft) -> Void) {
        history = EditHistory(draft) { _, new in show(new) }
    }

    /// Called for each letter. Letters without a pause between them are one step.
    func type(title: String) {
        history.edit(group: \Article.Draft.title) { $0.title = title }
    }

    func add(tag: String) { history.edit { $0.tags.append(tag) } }

    func undo() { history.undo() }
    func redo() { history.redo() }
}
