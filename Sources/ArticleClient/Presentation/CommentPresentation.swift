public import ArticleAPI

/// A comment as it is shown to readers: in their language and time zone, at one moment.
///
/// A comment of which the backend sends no text, because it was deleted or hidden, is shown as a
/// sentence. As with an ``ArticlePresentation``, two of the same comment are equal if they look the
/// same.
///
/// ```swift
/// let row = CommentPresentation(comment, in: .english, now: now) { _ in 9 * 3_600 }
/// let lines = [row.authorText, row.dateText, row.text, row.noteText]
/// ```
public struct CommentPresentation: Sendable, Hashable, Identifiable, BylinePresentable,
    DatePresentable, ExcerptPresentable
{
    public let id: ArticleComment.ID
    public let language: PresentationLanguage
    public let authorNames: [String]
    public let date: RelativeDate?
    /// The beginning of the text, without marks.
    public let plainText: String
    public let excerptLength: Int
    /// True for a reply to another comment, which is indented below it.
    public let isReply: Bool
    private let isPlaceholder: Bool
    private let note: PhraseKey?

    /// - Parameters:
    ///   - comment: its date is that of its creation, and never in the future, even if the reader's
    ///     clock is late.
    ///   - language: the reader's language.
    ///   - now: the current time.
    ///   - excerptLength: the most characters of the text; a comment has at most 10,000.
    ///   - secondsFromGMT: the offset of the reader's time zone at a time, positive to the east.
    public init(
        _ comment: ArticleComment, in language: PresentationLanguage, now: Timestamp,
        excerptLength: Int = 10_000, secondsFromGMT: (Timestamp) -> Int
    ) {
        id = comment.id
        self.language = language
        isReply = comment.parentID != nil
        authorNames = comment.author.map { [$0.displayName] } ?? []
        date = RelativeDate(
            min(comment.createdAt, now), now: now, secondsFromGMT: secondsFromGMT)
        self.excerptLength = excerptLength
        isPlaceholder = comment.body.isEmpty
        plainText =
            isPlaceholder
            ? ""
            : ArticlePresentation.excerpt(nil, comment.bodyHTML, comment.body, excerptLength)
        note =
            switch comment.status {
            case .visible, .unknown: nil
            case .pending: .commentPending
            case .hidden: .commentHidden
            case .deleted: .commentDeleted
            }
    }

    /// The writer's name, or words for one whose account was deleted; `nil` for a comment
    /// without a text.
    public var authorText: String? {
        authorNames.first ?? (isPlaceholder ? nil : language.phrase(.commentAuthorGone))
    }

    /// The beginning of the text, or the sentence that stands in its place; never empty, unless
    /// the text has nothing to read.
    public var text: String {
        isPlaceholder ? language.phrase(note ?? .commentHidden) : excerptText ?? ""
    }

    /// A note for its writer and editors, who see it when other readers do not: it waits for
    /// approval, or is hidden. Otherwise `nil`.
    public var noteText: String? { isPlaceholder ? nil : note.map { language.phrase($0) } }

    /// Everything as one text, for a row that a screen reader reads out.
    public var accessibilityLabel: String {
        [authorText, spokenDateText, text, noteText].compactMap(\.self).joined(separator: ", ")
    }
}
