/// The limits on articles and their parts.
///
/// A backend rejects values that exceed them. Constants; use them anywhere.
///
/// ```swift
/// let isTooLong = title.unicodeScalars.count > ArticleLimits.title.upperBound
/// ```
public enum ArticleLimits {
    /// Unicode scalars.
    public static let title = 1...300
    /// Unicode scalars.
    public static let summary = 0...2000
    /// Bytes of UTF-8.
    public static let bodyBytes = 2 * 1024 * 1024
    /// Bytes of UTF-8 of a body as HTML.
    public static let bodyHTMLBytes = 8 * 1024 * 1024
    public static let tags = 50
    /// Unicode scalars of one tag's name.
    public static let tag = 1...64
    public static let authors = 20
    /// Unicode scalars of an author's name.
    public static let authorName = 1...200
    /// Unicode scalars of an author's `about`.
    public static let about = 0...2000
    /// Unicode scalars of a source's name.
    public static let sourceName = 1...200
    /// Unicode scalars of a picture's alternative text.
    public static let alternativeText = 0...500
    /// Unicode scalars of a comment.
    public static let comment = 1...10_000
    /// Unicode scalars of a search query.
    public static let searchQuery = 1...200
    /// Items of a page.
    public static let page = 1...100
    /// Changes of a page.
    public static let changePage = 1...500
    /// Bytes of a page as JSON; a single larger article is still served.
    public static let pageBytes = 4 * 1024 * 1024
    /// The number of items up to which a list is counted.
    public static let count = 10_000
}
