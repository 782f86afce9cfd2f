import BroadsheetKit

/// What a screen does about an error.
enum Reaction: Equatable {
    case nothing, signIn, reload
    case alert(title: String, text: String, offersRetry: Bool)

    init(_ error: BackendError, for purpose: ErrorText.Purpose) {
        switch error {
        case _ where error.isStopped: self = .nothing
        case .unauthorized: self = .signIn
        case .problem(let problem) where problem.kind == .preconditionFailed: self = .reload
        default:
            let text = error.text(for: purpose)
            self = .alert(
                title: text.title, text: "\(text.message) \(text.advice)",
                offersRetry: text.retry == .now)
        }
    }
}
