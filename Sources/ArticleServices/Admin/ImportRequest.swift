public import ArticleAPI
public import ArticleStore
import HTTP

/// `POST /v1/admin/imports`: sends articles of an import to the process that owns the file.
public struct ImportArticlesRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/admin/imports", name: "importArticles",
        summary: "Imports articles", access: .administer)
    public typealias Item = ImportResult

    public static let parameters = Parameters(Self.init, .body(\.batch))

    public var batch: ImportBatch

    public init(batch: ImportBatch) { self.batch = batch }
}

/// Articles that are imported together.
public struct ImportBatch: Sendable, Hashable {
    public var items: [ImportItem]
    public var isDryRun: Bool

    public init(items: [ImportItem], isDryRun: Bool) {
        self.items = items
        self.isDryRun = isDryRun
    }
}

/// The outcome for each article of a batch, in the same order.
public struct ImportResult: Sendable, Hashable {
    public var results: [Result]

    public enum Result: Sendable, Hashable {
        case taken(ImportOutcome)
        /// Why it was rejected, as a sentence for the operator.
        case rejected(String)
    }
}

extension ImportBatch: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("items", \.items, .array(of: ImportItem.format, atMost: ImportRun.batchItems)),
        .required("dryRun", \.isDryRun, .boolean))
}

extension ImportItem: JSONModel {
    public static let shape = ObjectCodec(
        {
            (
                path: String, digest: [UInt8], id: Article.ID, keepsSlug: Bool, rule: SlugRule,
                slug: String?, formerSlugs: [String]?, draft: Article.Draft
            ) in
            ImportItem(
                path: path, digest: digest, id: id,
                content: ArticleContent(imported: draft, slug: rule.choice(slug)),
                keepsSlug: keepsSlug, formerSlugs: formerSlugs ?? [])
        },
        .required("path", \.path, .text(.lines(maximumBytes: ImportFiles.limitPathBytes))),
        .required("digest", \.digest, .text(.digest)),
        .required("id", \.id, .identifier()),
        .required("keepsSlug", \.keepsSlug, .boolean),
        .required("slugRule", { @Sendable in SlugRule($0.content.slug) }, .text(.choice)),
        .optional("slug", \.content.slug.text, .text(.servedSlug)),
        // Servers of older versions know no such attribute.
        .optional(
            "formerSlugs", \.knownFormerSlugs,
            .array(of: .text(.servedSlug), atMost: ImportItem.limitFormerSlugs)),
        .required("draft", \.content.draft, Article.Draft.format))

    /// Maximum number of former slugs of an imported article.
    static let limitFormerSlugs = 50

    private var knownFormerSlugs: [String]? { formerSlugs.isEmpty ? nil : formerSlugs }
}

/// The kind of a `SlugChoice`.
private enum SlugRule: String, Sendable, CaseIterable {
    case keep, exactly, like

    init(_ choice: SlugChoice) {
        switch choice {
        case .keep: self = .keep
        case .exactly: self = .exactly
        case .like: self = .like
        }
    }

    func choice(_ slug: String?) -> SlugChoice {
        guard let slug else { return .keep }
        return switch self {
        case .keep: .keep
        case .exactly: .exactly(slug)
        case .like: .like(slug)
        }
    }
}

extension SlugChoice {
    fileprivate var text: String? {
        switch self {
        case .keep: nil
        case .exactly(let slug), .like(let slug): slug
        }
    }
}

extension ImportResult: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("results", \.results, .array(of: Result.format, atMost: ImportRun.batchItems)))
}

extension ImportResult.Result: JSONRepresentable {
    /// `{"outcome": "created"}` or `{"fault": "…"}`.
    public static let format = JSONCodec.object(
        ObjectCodec(
            { (outcome: ImportOutcome?, fault: String?) in
                outcome.map(ImportResult.Result.taken) ?? .rejected(fault ?? "")
            },
            .optional("outcome", \.outcome, .text(.choice)),
            .optional("fault", \.fault, .text(.lines(0...10_000)))))

    private var outcome: ImportOutcome? {
        if case .taken(let outcome) = self { outcome } else { nil }
    }

    private var fault: String? {
        if case .rejected(let fault) = self { fault } else { nil }
    }
}
