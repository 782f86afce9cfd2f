import BroadsheetKit

/// What the root view of an app shows.
@MainActor final class SessionModel {
    enum Screen { case wait, signIn, home }

    private(set) var screen = Screen.wait
    private let backend: BackendService

    init(_ backend: BackendService) { self.backend = backend }

    /// Runs as long as the root view is there: `.task { await model.follow() }`.
    func follow() async {
        for await state in backend.auth.states {
            switch state {
            case .unavailable: screen = .wait
            case .signedOut, .expired: screen = .signIn
            case .signedIn: screen = .home
            }
        }
    }

    func signUp(name: String, password: String) async throws(BackendError) {
        try await backend.signUp(name: name, password: password, device: "Phone")
    }

    func signIn(name: String, password: String) async throws(BackendError) {
        try await backend.signIn(name: name, password: password, device: "Phone")
    }

    func signOut() async { await backend.signOut() }
}
