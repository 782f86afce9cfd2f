/// An article that a search found, with its title and an excerpt in which the matches are marked.
///
/// `Content` is `Article`, or `PartialArticle` if only some attributes were requested. See
/// ``SearchArticlesRequest``.
public struct SearchHit<Content: Sendable & Identifiable>: Sendable, Identifiable
where Content.ID == Article.ID {
    /// The article's id.
    public var id: Article.ID { article.id }

    public var article: Content
    /// The whole title, as plain text.
    public var title: [SearchPiece]
    /// The part of the summary or body with the most matches, as plain text: about 160 characters,
    /// with `…` where it was cut. It is the beginning if only title, tags or authors match.
    public var excerpt: [SearchPiece]

    public init(article: Content, title: [SearchPiece], excerpt: [SearchPiece]) {
        self.article = article
        self.title = title
        self.excerpt = excerpt
    }
}

/// A piece of a text in which matches are marked: the pieces of a text follow each other without
/// anything between them.
///
/// The text is plain: escape it as usual where it becomes HTML.
///
/// ```swift
/// let pieces = [SearchPiece(text: "In "), SearchPiece(text: "Swift", isMatch: true)]
/// let title = pieces.map { $0.isMatch ? "[\($0.text)]" : $0.text }.joined()
/// ```
public struct SearchPiece: Sendable, Hashable {
    public var text: String
    /// True if the query's words match here.
    public var isMatch: Bool

    public init(text: String, isMatch: Bool = false) {
        self.text = text
        self.isMatch = isMatch
    }
}

/// A page of a search's results, the best first. See ``SearchArticlesRequest``.
public struct SearchPage<Content: Sendable & Identifiable>: Sendable
where Content.ID == Article.ID {
    public var items: [SearchHit<Content>]
    /// The opaque cursor of the next page; `nil` on the last.
    public var next: String?
    /// The query that was used because nothing was found with the one that was sent.
    public var correctedTo: String?

    public init(items: [SearchHit<Content>], next: String? = nil, correctedTo: String? = nil) {
        self.items = items
        self.next = next
        self.correctedTo = correctedTo
    }
}

extension SearchHit: Equatable where Content: Equatable {}
extension SearchHit: Hashable where Content: Hashable {}
extension SearchPage: Equatable where Content: Equatable {}

extension SearchPiece: JSONModel {
    /// `{"text": "Swift", "match": true}`; `match` is left out where the text does not match.
    public static let shape = ObjectCodec(
        named: "SearchPiece", Self.init(text:match:),
        .required("text", \.text, .text(.lines(ArticleLimits.summary))),
        .optional("match", { @Sendable in $0.isMatch ? true : nil }, .boolean))

    private init(text: String, match: Bool?) {
        self.init(text: text, isMatch: match ?? false)
    }
}

extension SearchHit: JSONRepresentable, ResponseItem, Decodable, Encodable
where Content: JSONRepresentable {
    /// `{"article": {…}, "title": [{"text": "…"}], "excerpt": [{"text": "…", "match": true}]}`;
    /// `fields` chooses among the attributes of the article.
    public static var format: JSONCodec<SearchHit> {
        let content = Content.format
        let pieces = JSONCodec.array(
            of: SearchPiece.format, limit: ArticleLimits.title.upperBound)
        let shape = ObjectCodec<SearchHit>(
            named: content.schema.named("SearchHit"), SearchHit.init,
            .required("article", { @Sendable in $0.article }, content),
            .required("title", { @Sendable in $0.title }, pieces),
            .required("excerpt", { @Sendable in $0.excerpt }, pieces))
        return shape.selecting(among: content)
    }
}

extension SearchPage: JSONRepresentable, ResponseItem, Decodable, Encodable
where Content: JSONRepresentable {
    /// `{"items": […], "next": "<cursor>", "correctedTo": "…"}`
    public static var format: JSONCodec<SearchPage> {
        let items = JSONCodec.array(
            of: SearchHit<Content>.format, limit: ArticleLimits.page.upperBound)
        let shape = ObjectCodec<SearchPage>(
            named: Content.format.schema.named("SearchPage"), SearchPage.init,
            .required("items", { @Sendable in $0.items }, items),
            .optional("next", { @Sendable in $0.next }, .text(.cursor)),
            .optional(
                "correctedTo", { @Sendable in $0.correctedTo },
                .text(.lines(ArticleLimits.searchQuery))))
        return shape.selecting(among: items)
    }
}

extension JSONSchema {
    /// Returns the name of the schema that contains articles of this one: `SearchHit`, or
    /// `PartialSearchHit` for `PartialArticle`.
    func named(_ container: String) -> String? {
        guard let name, name.hasSuffix("Article") else { return nil }
        return name.dropLast("Article".count) + container
    }
}

extension ObjectCodec {
    /// The object of which `fields` chooses among the attributes of the first of three members.
    fileprivate func selecting<Content>(among content: JSONCodec<Content>) -> JSONCodec<Model> {
        JSONCodec(
            schema: schema, read: read, scan: { scan(&$0) },
            write: { model, plan, writer in
                let choices = plan.map { FieldPlan(choices: [.some($0), .all, .all]) }
                write(model, choices, to: &writer)
            },
            check: { check($0, &$1) }, fields: content.fields, plan: content.plan)
    }
}
