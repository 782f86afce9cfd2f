public import HTTP

/// Where a request goes, who may send it, and what answers it.
public struct Endpoint: Sendable, Hashable {
    public let method: HTTPMethod
    public let template: PathTemplate
    public let access: Access
    /// The status of an answer that is no error.
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
        /// Everyone; what they see depends on who they are.
        case everyone
        /// Those who see histories and what is deleted: editors.
        case readHistory
        /// Those who may change articles: editors.
        case writeArticles
        /// Those who may change authors: editors.
        case writeAuthors
        /// Those who look after the backend itself.
        case administer
    }
}
