public import ArticleAPI

/// An article as it is shown to readers: in their language and time zone, at one moment.
///
/// It has only the values that its texts depend on. So two of the same article are equal if they
/// look the same, and a ``Snapshot`` of them changes only where the visible texts differ, as in
/// another minute.
///
/// ```swift
/// let row = ArticlePresentation(article, in: .english, now: now) { _ in 9 * 3_600 }
/// let lines = [row.titleText, row.bylineText, row.dateText, row.readingTimeText]
/// let label = row.accessibilityLabel
/// ```
///
/// A ``SearchHit`` is presented in the same way, with `titlePieces` and `excerptPieces` that say
/// where it matches the query.
///
/// The excerpt comes from the summary; if it is empty, from `bodyHTML`; and if the response does
/// not have that, from the first paragraph of `body`, without its marks.
public struct ArticlePresentation: Sendable, Hashable, Identifiable, TitlePresentable,
    BylinePresentable, DatePresentable, ReadingTimePresentable, ExcerptPresentable,
    ImagePresentable
{
    public let id: Article.ID
    public let language: PresentationLanguage
    public private(set) var title: String?
    public let authorNames: [String]
    public let date: RelativeDate?
    public let readingMinutes: Int?
    /// The excerpt, not the whole text.
    public private(set) var plainText: String
    public private(set) var excerptLength: Int
    public let imageURL: String?
    public let imageDescription: String?
    /// The pieces of title and excerpt of a search hit.
    private var pieces: Pieces?

    private struct Pieces: Hashable {
        let title: [SearchPiece]
        let excerpt: [SearchPiece]
    }

    /// - Parameters:
    ///   - article: its date is `publishedAt`, or `updatedAt` without one. A published article is
    ///     never shown as in the future, even if the reader's clock is late.
    ///   - language: the reader's language.
    ///   - now: the current time.
    ///   - excerptLength: the most characters of the excerpt.
    ///   - secondsFromGMT: the offset of the reader's time zone at a time, positive to the east.
    public init(
        _ article: Article, in language: PresentationLanguage, now: Timestamp,
        excerptLength: Int = 160, secondsFromGMT: (Timestamp) -> Int
    ) {
        self.init(
            id: article.id, title: article.title, authorNames: article.authors.map(\.name),
            time: article.publishedAt ?? article.updatedAt, status: article.status,
            readingMinutes: article.readingMinutes,
            texts: (article.summary, article.bodyHTML, article.body), excerptLength: excerptLength,
            image: (article.picture?.url, article.picture?.alternativeText),
            in: language, now: now, secondsFromGMT: secondsFromGMT)
    }

    /// Attributes that were not selected are not shown.
    ///
    /// - Parameters:
    ///   - article: the selected attributes of an article.
    ///   - language: the reader's language.
    ///   - now: the current time.
    ///   - excerptLength: the most characters of the excerpt.
    ///   - secondsFromGMT: the offset of the reader's time zone at a time, positive to the east.
    public init(
        _ article: PartialArticle, in language: PresentationLanguage, now: Timestamp,
        excerptLength: Int = 160, secondsFromGMT: (Timestamp) -> Int
    ) {
        self.init(
            id: article.id, title: article.title,
            authorNames: article.authors?.compactMap(\.name) ?? [],
            time: article.publishedAt ?? article.updatedAt, status: article.status,
            readingMinutes: article.readingMinutes,
            texts: (article.summary, article.bodyHTML, article.body), excerptLength: excerptLength,
            image: (article.picture?.url, article.picture?.alternativeText),
            in: language, now: now, secondsFromGMT: secondsFromGMT)
    }

    /// The article that a search found, with the title and the excerpt of the search.
    ///
    /// - Parameters:
    ///   - hit: an article, or selected attributes of one.
    ///   - language: the reader's language.
    ///   - now: the current time.
    ///   - secondsFromGMT: the offset of the reader's time zone at a time, positive to the east.
    public init(
        _ hit: SearchHit<Article>, in language: PresentationLanguage, now: Timestamp,
        secondsFromGMT: (Timestamp) -> Int
    ) {
        self.init(hit.article, in: language, now: now, secondsFromGMT: secondsFromGMT)
        show(hit.title, hit.excerpt)
    }

    /// The same for selected attributes.
    public init(
        _ hit: SearchHit<PartialArticle>, in language: PresentationLanguage, now: Timestamp,
        secondsFromGMT: (Timestamp) -> Int
    ) {
        self.init(hit.article, in: language, now: now, secondsFromGMT: secondsFromGMT)
        show(hit.title, hit.excerpt)
    }

    private mutating func show(_ title: [SearchPiece], _ excerpt: [SearchPiece]) {
        self.title = title.map(\.text).joined()
        plainText = excerpt.map(\.text).joined()
        // The search has cut it.
        excerptLength = plainText.count
        pieces = Pieces(title: title, excerpt: excerpt)
    }

    /// `titleText` in pieces, of which those match the query that are to be marked.
    public var titlePieces: [SearchPiece] {
        guard let pieces, !pieces.title.isEmpty else { return [SearchPiece(text: titleText)] }
        return pieces.title
    }

    /// `excerptText` in pieces; empty without one.
    public var excerptPieces: [SearchPiece] {
        pieces?.excerpt ?? excerptText.map { [SearchPiece(text: $0)] } ?? []
    }

    private init(
        id: Article.ID, title: String?, authorNames: [String], time: Timestamp?,
        status: Article.Status?, readingMinutes: Int?,
        texts: (summary: String?, html: String?, markdown: String?), excerptLength: Int,
        image: (url: String?, description: String?),
        in language: PresentationLanguage, now: Timestamp, secondsFromGMT: (Timestamp) -> Int
    ) {
        self.id = id
        self.language = language
        self.title = title
        self.authorNames = authorNames
        date = time.map { time in
            RelativeDate(
                status == .published ? min(time, now) : time, now: now,
                secondsFromGMT: secondsFromGMT)
        }
        self.readingMinutes = readingMinutes
        imageURL = image.url
        imageDescription = image.description
        plainText = Self.excerpt(texts.summary, texts.html, texts.markdown, excerptLength)
        self.excerptLength = excerptLength
    }

    /// The beginning of the first of these texts that is not empty.
    static func excerpt(
        _ summary: String?, _ html: String?, _ markdown: String?, _ length: Int
    ) -> String {
        // A character may be several scalars, and white space is collapsed.
        let limitBytes = 32 * max(0, length)
        var text = PlainText.collapsed(summary ?? "")
        if text.isEmpty, let html {
            text = PlainText.text(ofHTML: html, limitBytes: limitBytes)
        }
        if text.isEmpty, let markdown { text = PlainText.firstParagraph(ofMarkdown: markdown) }
        return text.cut(to: length)
    }
}

extension String {
    /// The maximum characters: it is cut after a word and ended by `…` if there is more.
    ///
    /// A text without spaces, and a last word that is longer than half of the limit, is cut within.
    func cut(to limit: Int) -> String {
        guard limit > 0, !dropFirst(limit).isEmpty else { return limit > 0 ? self : "" }
        var part = prefix(limit)
        // The ellipsis takes the place of the last character, which may be the space after a word.
        if let space = part.lastIndex(where: \.isWhitespace),
            part.distance(from: part.startIndex, to: space) >= limit / 2
        {
            part = part[..<space]
        } else {
            part = part.dropLast()
        }
        while let last = part.last, last.isWhitespace || ",;:–—-(".contains(last) {
            part.removeLast()
        }
        return part + "…"
    }
}
