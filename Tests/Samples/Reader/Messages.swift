import ArticleAPI
import ArticleClient
import ArticleOffline

/// What the last line says about an error; `nil` if nobody waits for what has failed.
func message(of error: any Error) -> String? {
    switch error {
    case let error as BackendError where error.isStopped: return nil
    case let error as BackendError:
        // The backend says why: a wrong password, or that credentials are needed.
        let isUnauthorized = if case .unauthorized = error { true } else { false }
        let reason = isUnauthorized ? error.failureReason : nil
        return reason ?? error.localizedDescription
    case OutboxError.invalid(let value):
        return value.faults.first.map { "The title \($0.message)." } ?? ""
    case OutboxError.noAccount: return "Sign in to write."
    default: return "\(error)"
    }
}
