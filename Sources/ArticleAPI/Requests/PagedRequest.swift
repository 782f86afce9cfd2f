/// A request for one page of a list; the cursor selects the page.
///
/// `backend.pages(of: FetchArticlesRequest(tag: "swift"))` reads the whole list. A list of your own
/// only needs `extension FetchDraftsRequest: PagedRequest { typealias PageItem = Draft }`.
public protocol PagedRequest: BackendAPIRequest where Item == Page<PageItem> {
    /// The type of the list's items.
    associatedtype PageItem: Sendable & Identifiable where PageItem.ID: Sendable

    /// The `next` of the previous page; `nil` for the first page.
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
