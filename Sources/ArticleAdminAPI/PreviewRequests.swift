public import ArticleAPI
import BroadsheetHTTP

/// `POST /v1/preview`: renders Markdown as the bodies of articles are rendered, without storing
/// anything.
///
/// It is for authors and above, and limited as an article's body is.
///
/// ```swift
/// let preview = try await backend.send(PreviewRequest(body: "Hello, *world*."))
/// let html = preview.bodyHTML
/// ```
public struct PreviewRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/preview", name: "previewBody", summary: "Renders Markdown as HTML",
        access: .writeArticles)
    public typealias Item = ArticlePreview

    public static let parameters = Parameters(Self.init(text:), .body(\.text))

    /// Markdown.
    public var body: String { text.body }
    private let text: PreviewText

    public init(body: String) { text = PreviewText(body: body) }

    private init(text: PreviewText) { self.text = text }
}

/// A body as readers will see it. See ``PreviewRequest``.
public struct ArticlePreview: Sendable, Hashable {
    /// Safe to show: without scripts, and without HTML that the author wrote.
    public var bodyHTML: String

    public init(bodyHTML: String) { self.bodyHTML = bodyHTML }
}

extension ArticlePreview: JSONModel {
    public static let shape = ObjectCodec(
        named: "Preview", Self.init,
        .required(
            "bodyHTML", \.bodyHTML, .text(.lines(limitBytes: ArticleLimits.bodyHTMLBytes))))
}

/// The body of a ``PreviewRequest``.
private struct PreviewText: JSONModel, Hashable {
    static let shape = ObjectCodec(
        named: "PreviewText", Self.init(body:),
        .required("body", \.body, .text(.lines(limitBytes: ArticleLimits.bodyBytes))))

    var body: String
}
