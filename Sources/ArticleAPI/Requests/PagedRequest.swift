/// A request for one page of a list: with another cursor it asks for another page.
///
/// `backend.pages(of: FetchArticlesRequest(tag: "swift"))` reads the whole list. A list of your own
/// needs no more than `extension FetchDraftsRequest: PagedRequest { typealias PageItem = Draft }`.
public protocol PagedRequest: BackendAPIRequest where Item == Page<PageItem> {
    /// What the list consists of.
    associatedtype PageItem: Sendable & Identifiable where PageItem.ID: Sendable

    /// Where the last page ended: its `next`; `nil` for the first page.
    var cursor: String? { get set }
}

extension FetchArticlesRequest: PagedRequest {
    public typealias PageItem = Article
}

extension FetchRevisionsRequest: PagedRequest {
    public typealias PageItem = Revision
}

extension FetchTagsRequest: PagedRequest {
    public typealias PageItem = Tag.Usage
}

extension FetchAuthorsRequest: PagedRequest {
    public typealias PageItem = Author
}

extension PartialRequest: PagedRequest where Whole == FetchArticlesRequest {
    public typealias PageItem = PartialArticle

    public var cursor: String? {
        get { whole.cursor }
        set { whole.cursor = newValue }
    }
}
