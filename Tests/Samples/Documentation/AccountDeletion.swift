import BroadsheetKit

/// The last screen of an account: "Delete account", with what happens to the user's comments.
@MainActor final class AccountDeletion {
    var deletesComments = false
    private(set) var problem: ErrorText?
    private let backend: BackendService

    init(_ backend: BackendService) { self.backend = backend }

    /// Deletes the account of a user with a password, who has just entered it.
    func delete(password: String) async -> Bool { await send(password) }

    /// Deletes the account of a user without a password, who signs in once more to confirm it.
    ///
    /// - Parameter identity: the ID token of that sign-in.
    func delete(confirmedBy identity: ProvidedIdentity) async -> Bool {
        do throws(BackendError) { try await backend.signIn(identity: identity) } catch {
            if !error.isStopped { problem = error.text(for: .signIn) }
            return false
        }
        return await send(nil)
    }

    /// Afterwards the service is signed out, and its copies of the account are gone.
    private func send(_ password: String?) async -> Bool {
        do throws(BackendError) {
            try await backend.send(
                DeleteMeRequest(current: password, comments: deletesComments ? .delete : .keep))
            return true
        } catch {
            if !error.isStopped { problem = error.text(for: .save) }
            return false
        }
    }
}
