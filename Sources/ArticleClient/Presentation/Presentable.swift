import ArticleAPI

/// A value with texts for readers, in their language. See ``ArticlePresentation``.
public protocol Presentable {
    var language: PresentationLanguage { get }
}

/// Shows a title. See ``ArticlePresentation``.
public protocol TitlePresentable: Presentable {
    /// The title as it was written; `nil` if it is not known.
    var title: String? { get }
    /// Never empty.
    var titleText: String { get }
}

extension TitlePresentable {
    public var titleText: String {
        let text = PlainText.collapsed(title ?? "")
        return text.isEmpty ? language.phrase(.titleUntitled) : text
    }
}

/// Shows who wrote something. See ``ArticlePresentation``.
public protocol BylinePresentable: Presentable {
    /// In the order of the by-line.
    var authorNames: [String] { get }
    /// At most three names: `By Ada, Bo and 2 others`; `nil` without any author.
    var bylineText: String? { get }
    /// All names, to be spoken.
    var spokenBylineText: String? { get }
}

extension BylinePresentable {
    public var bylineText: String? {
        let names = authorNames
        return switch names.count {
        case 0: nil
        case 1: language.phrase(.bylineOne, names[0])
        case 2: language.phrase(.bylineTwo, names[0], names[1])
        case 3: language.phrase(.bylineThree, names[0], names[1], names[2])
        default: language.phrase(.bylineMore, names[0], names[1], names.count - 2)
        }
    }

    public var spokenBylineText: String? {
        guard let last = authorNames.last else { return nil }
        let others = authorNames.dropLast()
        return others.isEmpty
            ? language.phrase(.bylineOneSpoken, last)
            : language.phrase(.bylineTwoSpoken, others.joined(separator: ", "), last)
    }
}

/// Shows when something was or will be published. See ``ArticlePresentation``.
public protocol DatePresentable: Presentable {
    var date: RelativeDate? { get }
    /// `5 min ago`, `Tomorrow at 09:00`; `nil` without a date.
    var dateText: String? { get }
    /// The same without abbreviations, to be spoken.
    var spokenDateText: String? { get }
}

extension DatePresentable {
    public var dateText: String? { date?.text(in: language) }
    public var spokenDateText: String? { date?.spokenText(in: language) }
}

/// A value with a reading time. See ``ArticlePresentation``.
public protocol ReadingTimePresentable: Presentable {
    /// In minutes, rounded up; `nil` if it is not known.
    var readingMinutes: Int? { get }
    /// `4 min read`; `nil` if there is nothing to read.
    var readingTimeText: String? { get }
    /// The same without abbreviations, to be spoken.
    var spokenReadingTimeText: String? { get }
}

extension ReadingTimePresentable {
    public var readingTimeText: String? { text(.readingTime) }
    public var spokenReadingTimeText: String? { text(.readingTimeSpoken) }

    private func text(_ key: PhraseKey) -> String? {
        readingMinutes.flatMap { $0 > 0 ? language.phrase(key, $0) : nil }
    }
}

/// Shows how something begins. See ``ArticlePresentation``.
public protocol ExcerptPresentable: Presentable {
    /// Text without marks, as long as it is known.
    var plainText: String { get }
    /// In characters.
    var excerptLength: Int { get }
    /// The beginning of the text, cut after a word and ended by `…`; `nil` without any text.
    var excerptText: String? { get }
}

extension ExcerptPresentable {
    public var excerptLength: Int { 160 }

    public var excerptText: String? {
        let text = plainText.cut(to: excerptLength)
        return text.isEmpty ? nil : text
    }
}

/// Shows a picture. See ``ArticlePresentation``.
public protocol ImagePresentable: Presentable {
    /// Its absolute URL; `nil` without a picture.
    var imageURL: String? { get }
    /// The author's description of what can be seen on it; `nil` if there is none.
    var imageDescription: String? { get }
    /// The description, to be spoken; `nil` for a picture that a screen reader should pass over.
    var spokenImageText: String? { get }
}

extension ImagePresentable {
    public var spokenImageText: String? {
        guard imageURL != nil else { return nil }
        let text = PlainText.collapsed(imageDescription ?? "")
        return text.isEmpty ? nil : text
    }
}

extension Presentable
where Self: TitlePresentable & BylinePresentable & DatePresentable & ReadingTimePresentable {
    /// Title, authors, date and reading time as one text, for a row that a screen reader reads out.
    public var accessibilityLabel: String {
        [titleText, spokenBylineText, spokenDateText, spokenReadingTimeText]
            .compactMap(\.self).joined(separator: ", ")
    }
}
