import ArticleAPI
import ArticleStore

/// The column `comments` of revisions.
enum StoredPolicy: Int64 {
    case open, moderated, closed

    init(_ policy: CommentPolicy) throws(StoreError) {
        switch policy {
        case .open: self = .open
        case .moderated: self = .moderated
        case .closed: self = .closed
        case .unknown(let name): throw .conflict("the value \(name) of comments is unknown")
        }
    }

    init(_ number: Int64) throws(StoreError) {
        guard let policy = StoredPolicy(rawValue: number) else {
            throw .corrupt("an article has the policy \(number) for comments")
        }
        self = policy
    }

    var policy: CommentPolicy {
        switch self {
        case .open: .open
        case .moderated: .moderated
        case .closed: .closed
        }
    }
}
