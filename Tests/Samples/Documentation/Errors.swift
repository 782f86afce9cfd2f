import BroadsheetKit

/// What a screen does about an error.
enum Reaction: Equatable {
    case nothing, signIn, reload
    case tryLater(String)
    case mark(fault: String)
    case tell(String)

    init(_ error: BackendError) {
        switch error {
        case _ where error.isStopped: self = .nothing
        case _ where error.isTransient: self = .tryLater(error.localizedDescription)
        case .unauthorized: self = .signIn
        case .problem(let problem) where problem.kind == .preconditionFailed: self = .reload
        case .problem(let problem):
            let fault = problem.faults(at: "/title").first
            self = fault.map { .mark(fault: $0) } ?? .tell(error.localizedDescription)
        default: self = .tell(error.localizedDescription)
        }
    }
}
