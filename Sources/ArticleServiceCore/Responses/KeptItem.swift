package import ArticleAPI
package import ArticleAdminAPI

/// The result of a write, restored from its stored form.
package protocol KeptItem: Sendable {
    init?(kept bytes: [UInt8], body: String?)

    /// The request that fetches it.
    var location: (any BackendAPIRequest)? { get }
}

extension KeptItem where Self: JSONModel {
    package init?(kept bytes: [UInt8], body: String?) {
        guard let item = try? Self(mapping: bytes) else { return nil }
        self = item
    }
}

extension Article: KeptItem {
    package init?(kept bytes: [UInt8], body: String?) {
        guard let article = try? Article(mapping: bytes) else { return nil }
        self = article
        self.body = body
    }

    package var location: (any BackendAPIRequest)? { FetchArticleRequest(key: .id(id)) }
}

extension Author: KeptItem {
    package var location: (any BackendAPIRequest)? { FetchAuthorRequest(id: id) }
}

extension ArticleComment: KeptItem {
    package init?(kept bytes: [UInt8], body: String?) {
        guard let comment = try? ArticleComment(mapping: bytes) else { return nil }
        self = comment
        // Without one, the comment was deleted.
        self.body = body ?? ""
    }

    package var location: (any BackendAPIRequest)? { FetchCommentRequest(id: id) }
}

extension ContentSource: KeptItem {
    package var location: (any BackendAPIRequest)? { FetchSourceRequest(id: id) }
}

extension NoContent: KeptItem {
    package init?(kept bytes: [UInt8], body: String?) { self.init() }

    package var location: (any BackendAPIRequest)? { nil }
}
