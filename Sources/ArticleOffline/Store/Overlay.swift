import ArticleAPI

/// How unsent writes show in what is read.
enum Overlay {
    /// The article as it will be when the writes were sent; `nil` if there is none then.
    static func apply(
        _ writes: [StoredWrite], to article: Article?
    ) -> (article: Article?, pending: RememberedArticle.Pending?) {
        (article, writes.isEmpty ? nil : .waiting)
    }
}
