public import ArticleAPI
import ArticleImportExport
import ArticleServiceCore
public import ArticleStore
import BroadsheetHTTP

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
        /// It was rejected, for the reason in a sentence for the operator.
        case rejected(String)
    }
}

extension ImportBatch: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("items", \.items, .array(of: ImportItem.format, limit: ImportRun.batchItems)),
        .required("dryRun", \.isDryRun, .boolean))
}

extension ImportItem: JSONModel {
    public static let shape = ObjectCodec(
        {
            (
                path: String, digest: [UInt8], id: Article.ID, keepsSlug: Bool, rule: SlugRule,
                slug: String?, formerSlugs: [String]?, isLikeness: Bool?, likeSlug: String?,
                formerPath: String?, restoresDeleted: Bool?, draft: Article.Draft
            ) in
            var item = ImportItem(
                path: path, digest: digest, id: id,
                content: ArticleContent(imported: draft, slug: rule.choice(slug)),
                keepsSlug: keepsSlug, formerSlugs: formerSlugs ?? [])
            item.recognition =
                formerPath.map(Recognition.movedFrom)
                ?? (isLikeness == true ? .likeness(slug: likeSlug) : .path)
            item.restoresDeleted = restoresDeleted ?? false
            return item
        },
        .required("path", \.path, .text(.lines(limitBytes: ImportItem.limitPathBytes))),
        .required("digest", \.digest, .text(.digest)),
        .required("id", \.id, .identifier()),
        .required("keepsSlug", \.keepsSlug, .boolean),
        .required("slugRule", { @Sendable in SlugRule($0.content.slug) }, .text(.choice)),
        .optional("slug", \.content.slug.text, .text(.servedSlug)),
        // Servers of older versions know none of these attributes.
        .optional(
            "formerSlugs", \.knownFormerSlugs,
            .array(of: .text(.servedSlug), limit: ImportItem.limitFormerSlugs)),
        .optional("likeness", \.isLikeness, .boolean),
        .optional("likeSlug", \.likeSlug, .text(.servedSlug)),
        .optional(
            "formerPath", \.formerPath, .text(.lines(limitBytes: ImportItem.limitPathBytes))),
        .optional("restoreDeleted", \.isToRestoreDeleted, .boolean),
        .required("draft", \.content.draft, Article.Draft.format))

    private var knownFormerSlugs: [String]? { formerSlugs.isEmpty ? nil : formerSlugs }
    private var isLikeness: Bool? {
        if case .likeness = recognition { true } else { nil }
    }
    private var likeSlug: String? {
        if case .likeness(let slug) = recognition { slug } else { nil }
    }
    private var formerPath: String? {
        if case .movedFrom(let path) = recognition { path } else { nil }
    }
    private var isToRestoreDeleted: Bool? { restoresDeleted ? true : nil }
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

extension ImportResult: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("results", \.results, .array(of: Result.format, limit: ImportRun.batchItems)))
}

extension ImportResult.Result: JSONRepresentable {
    /// `{"outcome": "created"}`, `{"outcome": "deleted", "deletedAt": "…"}`,
    /// `{"outcome": "similar", "paths": ["…"]}` or `{"fault": "…"}`.
    public static let format = JSONCodec.object(
        ObjectCodec(
            Self.init(outcome:deletedAt:paths:fault:),
            .optional("outcome", \.outcomeName, .text(.choice)),
            .optional("deletedAt", \.deletedAt, .timestamp),
            .optional(
                "paths", \.paths,
                .array(
                    of: .text(.lines(limitBytes: ImportItem.limitPathBytes)),
                    limit: ImportOutcome.limitSimilar)),
            .optional("fault", \.fault, .text(.lines(0...10_000)))))

    private init(
        outcome: OutcomeName?, deletedAt: Timestamp?, paths: [String]?, fault: String?
    ) {
        if let outcome {
            self = .taken(outcome.outcome(deletedAt, paths))
        } else {
            self = .rejected(fault ?? "")
        }
    }

    private var outcome: ImportOutcome? {
        if case .taken(let outcome) = self { outcome } else { nil }
    }

    private var outcomeName: OutcomeName? { outcome.map(OutcomeName.init) }

    private var deletedAt: Timestamp? {
        if case .deleted(let time)? = outcome { time } else { nil }
    }

    private var paths: [String]? {
        if case .similar(let paths)? = outcome { paths } else { nil }
    }

    private var fault: String? {
        if case .rejected(let fault) = self { fault } else { nil }
    }
}

/// The kind of an `ImportOutcome`.
private enum OutcomeName: String, Sendable, CaseIterable {
    case created, updated, unchanged, keptEdits, deleted, restored, similar

    init(_ outcome: ImportOutcome) {
        switch outcome {
        case .created: self = .created
        case .updated: self = .updated
        case .unchanged: self = .unchanged
        case .keptEdits: self = .keptEdits
        case .deleted: self = .deleted
        case .restored: self = .restored
        case .similar: self = .similar
        }
    }

    func outcome(_ deletedAt: Timestamp?, _ paths: [String]?) -> ImportOutcome {
        switch self {
        case .created: .created
        case .updated: .updated
        case .unchanged: .unchanged
        case .keptEdits: .keptEdits
        case .deleted: .deleted(deletedAt ?? Timestamp(milliseconds: 0))
        case .restored: .restored
        case .similar: .similar(paths ?? [])
        }
    }
}
