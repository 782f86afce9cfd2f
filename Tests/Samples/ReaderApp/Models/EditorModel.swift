import BroadsheetKit
import Observation

/// A new article, or edits of one, with undo and redo.
@MainActor @Observable final class EditorModel {
    private(set) var draft: Article.Draft
    /// The tags as they are typed, with commas between them.
    private(set) var tagText: String
    private(set) var canUndo = false
    private(set) var canRedo = false
    private(set) var problem: ErrorText?
    /// The article as its user saw it; `nil` for a new one.
    let original: Article?
    private let library: LibraryModel
    @ObservationIgnored private lazy var history = EditHistory(draft) { [weak self] _, new in
        self?.show(new)
    }

    /// - Parameter article: the article to edit, with its body; `nil` for a new one.
    init(_ article: Article?, in library: LibraryModel) {
        self.library = library
        original = article
        draft = article?.draft ?? Article.Draft(title: "", status: .draft)
        tagText = article?.tags.map(\.name).joined(separator: ", ") ?? ""
    }

    var canSave: Bool {
        draft.title.contains { !$0.isWhitespace } && draft != original?.draft
    }

    // Letters that follow each other without a pause are one step.

    var title: String {
        get { draft.title }
        set { history.edit(group: \Article.Draft.title) { $0.title = newValue } }
    }

    var summary: String {
        get { draft.summary }
        set { history.edit(group: \Article.Draft.summary) { $0.summary = newValue } }
    }

    var body: String {
        get { draft.body }
        set { history.edit(group: \Article.Draft.body) { $0.body = newValue } }
    }

    var tags: String {
        get { tagText }
        set {
            tagText = newValue
            history.edit(group: \Article.Draft.tags) { $0.tags = Self.tags(in: newValue) }
        }
    }

    var isPublished: Bool {
        get { draft.status == .published }
        set { history.edit { $0.status = newValue ? .published : .draft } }
    }

    func undo() { history.undo() }
    func redo() { history.redo() }

    private func show(_ new: Article.Draft) {
        draft = new
        if Self.tags(in: tagText) != new.tags { tagText = new.tags.joined(separator: ", ") }
        (canUndo, canRedo) = (history.canUndo, history.canRedo)
    }

    private static func tags(in text: String) -> [String] {
        text.split(separator: ",").map { tag in
            let start = tag.drop(while: \.isWhitespace)
            return String(start.reversed().drop(while: \.isWhitespace).reversed())
        }.filter { !$0.isEmpty }
    }

    /// Stores the article, which shows at once and is sent as soon as that is possible.
    ///
    /// - Returns: true if it was stored.
    func save() async -> Bool {
        do {
            if let original {
                var edited = original
                edited.title = draft.title
                edited.summary = draft.summary
                edited.body = draft.body
                edited.tags = draft.tags.map(ArticleTag.init(named:))
                edited.status = draft.status ?? .draft
                try await library.offline.outbox.update(original, .init(from: original, to: edited))
            } else {
                try await library.offline.outbox.create(draft)
            }
            return true
        } catch {
            problem = ErrorText(ifShown: error, for: .save)
            return false
        }
    }
}
