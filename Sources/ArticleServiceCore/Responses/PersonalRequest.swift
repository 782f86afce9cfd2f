package import ArticleAPI

/// A read whose response may contain content that only this user sees, besides public content.
package protocol PersonalRequest: BackendAPIRequest {
    /// True if this request's response may; `true` by default.
    var isPersonal: Bool { get }

    /// True if the caller must have an account; `false` by default.
    var requiresUser: Bool { get }
}

extension PersonalRequest {
    package var isPersonal: Bool { true }
    package var requiresUser: Bool { false }
}

extension BackendAPIRequest {
    /// True if the response may contain content that only its sender sees.
    package var isForUser: Bool { (self as? any PersonalRequest)?.isPersonal ?? false }

    /// True if a caller without a user gets another response than an anonymous one.
    package var needsUser: Bool { (self as? any PersonalRequest)?.requiresUser ?? false }
}
