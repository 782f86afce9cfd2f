package import ArticleAPI

/// The size of a page while articles are added to it.
struct PageSize {
    private let fields: FieldSelection?
    private var articles: [Article] = []
    private var textBytes = 0
    /// `nil` while the page is certainly small.
    private var bytes: Int?

    /// Texts of this size are small enough not to be measured: in JSON, a byte becomes at most six.
    static var limitUnmeasured: Int { ArticleLimits.pageBytes / 6 }

    init(_ fields: FieldSelection?) { self.fields = fields }

    /// Adds an article.
    ///
    /// - Returns: true if the page is within `ArticleLimits.pageBytes`.
    mutating func add(_ article: Article) -> Bool {
        textBytes += article.textBytes
        if var bytes {
            bytes += article.jsonBytes(fields)
            self.bytes = bytes
            return bytes <= ArticleLimits.pageBytes
        }
        articles.append(article)
        guard textBytes > Self.limitUnmeasured else { return true }
        let measured = articles.reduce(0) { $0 + $1.jsonBytes(fields) }
        bytes = measured
        articles = []
        return measured <= ArticleLimits.pageBytes
    }
}

extension Article {
    /// An estimate of the articles' size in bytes. They are not copied, as a loop over them would.
    package static func textBytes(of articles: [Article]) -> Int {
        articles.indices.reduce(0) { $0 + articles[$1].textBytes }
    }

    /// The size of the article as JSON in bytes, computed without encoding long texts.
    fileprivate func jsonBytes(_ fields: FieldSelection?) -> Int {
        var rest = self
        (rest.body, rest.bodyHTML) = (nil, nil)
        var bytes = rest.json(fields).count
        for (name, text) in [("body", body), ("bodyHTML", bodyHTML)] {
            guard let text, fields?.contains(name) ?? true else { continue }
            // With quotation marks, colon and comma.
            bytes += name.utf8.count + 4 + JSONWriter.bytes(of: text)
        }
        return bytes
    }
}
