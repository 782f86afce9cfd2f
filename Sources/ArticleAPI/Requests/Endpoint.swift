public import HTTP

/// The method and path of a request, who may send it, and the status of its response.
public struct Endpoint: Sendable, Hashable {
    public let method: HTTPMethod
    public let template: PathTemplate
    public let access: Access
    /// The status of a successful response.
    public let success: HTTPStatus

    public init(
        _ method: HTTPMethod, _ template: PathTemplate, access: Access, success: HTTPStatus = .ok
    ) {
        self.method = method
        self.template = template
        self.access = access
        self.success = success
    }

    /// Who may send a request.
    public enum Access: Sendable, Hashable, CaseIterable {
        /// Everyone; what they see depends on their role.
        case everyone
        /// Those who may read revisions and deleted articles: editors.
        case readHistory
        /// Those who may change articles: editors.
        case writeArticles
        /// Those who may change authors: editors.
        case writeAuthors
        /// Those who administer the backend itself.
        case administer
    }
}
