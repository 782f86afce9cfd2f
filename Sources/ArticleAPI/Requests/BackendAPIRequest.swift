public import BroadsheetHTTP

/// One request to the backend, as a value that names the type of its response.
///
/// The declaration is the contract: client, server and documentation all use `endpoint` and
/// `parameters`, so that they cannot diverge. Use it anywhere.
///
/// ```swift
/// struct FetchGreetingRequest: BackendAPIRequest {
///     static let endpoint = Endpoint(.get, "/v1/greetings/{name}", access: .everyone)
///     typealias Item = Greeting
///     static let parameters = Parameters(
///         Self.init(name:), .path("name", \.name, .line(1...80)))
///     var name: String
/// }
/// ```
public protocol BackendAPIRequest: Sendable, Hashable {
    /// The type that the response mapper decodes from the response.
    associatedtype Item: ResponseItem

    static var endpoint: Endpoint { get }

    /// The transfer of the value's parts, in the order of its initialiser's arguments.
    static var parameters: Parameters<Self> { get }
}

/// The method and path of a request, its effect, the required access, and the status of its
/// response. See ``BackendAPIRequest``.
public struct Endpoint: Sendable, Hashable {
    public let method: HTTPMethod
    public let template: PathTemplate
    /// Identifies the request in descriptions of the API: `getArticle`.
    public let name: String
    /// The effect of the request, in a few words: `Gets an article by its id or slug`.
    public let summary: String
    public let access: Access
    /// The status of a successful response.
    public let success: HTTPStatus
    /// The status of another successful response: 201 for a `PUT` that may create something.
    public let alternativeSuccess: HTTPStatus?
    /// The problems with which the request can fail, besides those that follow from its parts,
    /// method and access.
    public let problems: [Problem.Kind]
    /// True if the body or the response contains a password, token or code. The backend rejects
    /// such a request if it is sent unencrypted from another machine (403), or with an
    /// `Idempotency-Key` (400), for which it would have to store the response.
    public let carriesSecrets: Bool
    /// True if the response is sent while it is read, because it may be too long for memory. Then
    /// it has no entity tag.
    public let isStreamed: Bool

    /// A request of your own needs neither a name nor a summary.
    public init(
        _ method: HTTPMethod, _ template: PathTemplate, name: String = "", summary: String = "",
        access: Access, success: HTTPStatus = .ok, alternativeSuccess: HTTPStatus? = nil,
        problems: [Problem.Kind] = [], carriesSecrets: Bool = false, isStreamed: Bool = false
    ) {
        self.method = method
        self.template = template
        self.name = name
        self.summary = summary
        self.access = access
        self.success = success
        self.alternativeSuccess = alternativeSuccess
        self.problems = problems
        self.carriesSecrets = carriesSecrets
        self.isStreamed = isStreamed
    }

    /// The maximum size of the body; `nil` for that of all requests. A client that signs in is not
    /// known yet, and names, passwords and tokens are short.
    public var bodyLimitBytes: Int? { carriesSecrets ? 64 << 10 : nil }

    /// The access that a request requires.
    public enum Access: String, Sendable, Hashable, CaseIterable {
        /// Everyone; the visible content depends on the role.
        case everyone
        /// Those who may read revisions and deleted articles: editors, and authors their own.
        case readHistory
        /// Those who may change articles: editors, and authors those that they own.
        case writeArticles
        /// Those who may change authors: editors.
        case writeAuthors
        /// Those with an account: users, and keys that act for a user.
        case useAccount
        /// Those who may delete an account, export it, change its password and end its sessions:
        /// users who are signed in, and no keys.
        case manageAccount
        /// Those who may comment: users.
        case comment
        /// Those who may change comments: users their own, and editors.
        case changeComments
        /// Those who may see the comments on all articles: editors.
        case moderate
        /// Those who may see the names of users: readers.
        case readProfiles
        /// Those who manage the accounts of others: admins.
        case manageUsers
        /// Those who manage the feeds whose articles are taken over: admins.
        case manageSources
        /// Those who administer the backend itself.
        case administer
    }
}

/// A write that can be repeated safely, by its `Idempotency-Key`.
///
/// A key is valid for 24 hours, for one caller, method and path. The same request with the same key
/// gets the first response again. A different request with it is rejected (422), and so is the same
/// request while the first one is still in progress (409). See ``CreateArticleRequest``.
public protocol IdempotentWriteRequest: BackendAPIRequest {
    /// 1 to 200 printable ASCII characters without spaces; preferably a new UUID for each write.
    var idempotencyKey: String? { get set }
}

/// A request for one page of a list; the cursor selects the page.
///
/// `backend.pages(of:)` reads the whole list. A list of your own only needs
/// `extension FetchDraftsRequest: PagedRequest { typealias PageItem = Draft }`.
///
/// ```swift
/// let pages = backend.pages(of: FetchArticlesRequest(tag: "baking"))
/// for try await article in pages.items { titles.append(article.title) }
/// ```
public protocol PagedRequest: BackendAPIRequest where Item == Page<PageItem> {
    /// The type of the list's items.
    associatedtype PageItem: Sendable & Identifiable where PageItem.ID: Sendable

    /// The `next` of the previous page; `nil` for the first page.
    var cursor: String? { get set }
}

extension FetchArticlesRequest: PagedRequest {
    public typealias PageItem = Article
}

extension FetchTagsRequest: PagedRequest {
    public typealias PageItem = ArticleTag.Usage
}

extension FetchAuthorsRequest: PagedRequest {
    public typealias PageItem = Author
}

extension FetchCommentsRequest: PagedRequest {
    public typealias PageItem = ArticleComment
}

extension FetchAllCommentsRequest: PagedRequest {
    public typealias PageItem = ArticleComment
}

extension FetchBookmarksRequest: PagedRequest {
    public typealias PageItem = Bookmark
}

extension PartialRequest: PagedRequest where Whole == FetchArticlesRequest {
    public typealias PageItem = PartialArticle

    public var cursor: String? {
        get { whole.cursor }
        set { whole.cursor = newValue }
    }
}

/// A request whose response can be restricted to some attributes. See ``PartialRequest``.
public protocol SparseRequest: BackendAPIRequest {
    /// The response with the selected attributes.
    associatedtype Partial: ResponseItem

    var fields: FieldSelection? { get set }
}

/// A request for some attributes only: the same endpoint, with the others absent in the response.
///
/// ```swift
/// let request = PartialRequest(FetchArticlesRequest(), fields: [.title, .authors(.name)])
/// let titles = try await backend.send(request).items.compactMap(\.title)
/// ```
public struct PartialRequest<Whole: SparseRequest>: BackendAPIRequest {
    public static var endpoint: Endpoint { Whole.endpoint }
    public typealias Item = Whole.Partial

    public static var parameters: Parameters<Self> {
        Whole.parameters.mapped({ Self(whole: $0) }, { $0.whole })
    }

    /// The request, with its selection.
    public internal(set) var whole: Whole

    public init(_ request: Whole, fields: FieldSelection) {
        var whole = request
        whole.fields = fields
        self.whole = whole
    }

    private init(whole: Whole) { self.whole = whole }
}

extension Lenient {
    /// A request whose response may have items that cannot be decoded.
    ///
    /// ```swift
    /// let request = Lenient.Request(FetchArticlesRequest(limit: 20))
    /// let page = try await backend.send(request)
    /// let (articles, missing) = (page.value.items, page.leftOut.count)
    /// ```
    public struct Request<Whole: BackendAPIRequest>: BackendAPIRequest where Whole.Item == Value {
        public static var endpoint: Endpoint { Whole.endpoint }
        public typealias Item = Lenient<Value>

        public static var parameters: Parameters<Self> {
            Whole.parameters.mapped({ Self($0) }, { $0.whole })
        }

        public var whole: Whole

        public init(_ request: Whole) { whole = request }
    }
}
