import ArticleAPI
import ArticleResources
import ArticleServiceCore

extension ChangeService {
    /// The page that an anonymous client gets.
    func publicPage(
        since token: String, limit: Int
    ) async throws(ServiceError) -> ChangePage<Article> {
        try await list(FetchChangesRequest(since: token, limit: limit), by: .anonymous).item
    }

    /// The token of an anonymous client that has everything.
    func publicPresent() async throws(ServiceError) -> String {
        try await publicPage(since: FetchChangesRequest.now, limit: 1).next
    }
}

extension ServiceError {
    /// True if a token of changes can never be used again.
    var endsToken: Bool {
        switch self {
        case .syncReset, .invalidToken: true
        default: false
        }
    }

    /// The error as a phrase for the log.
    var reason: String {
        if case .unavailable(let cause) = self { cause } else { "\(self)" }
    }
}
