import BroadsheetKit
import Observation

/// The forms of an account: signing in, signing up, signing out, and deleting the account.
@MainActor @Observable final class AccountModel {
    var name = ""
    var password = ""
    var deletesComments = false
    var removesFiles = false
    private(set) var user: User?
    private(set) var problem: ErrorText?
    private(set) var isBusy = false
    private let app: AppModel

    init(_ app: AppModel) { self.app = app }

    var canSend: Bool { !name.isEmpty && !password.isEmpty && !isBusy }

    /// Loads the name of the user who is signed in, or shows the copy of it.
    func load() async {
        guard let library = app.library, library.account != nil else {
            user = nil
            return
        }
        do {
            user = try await library.offline.backend.send(
                FetchMeRequest(), options: RequestOptions(freshness: .orCached()))
        } catch { problem = ErrorText(ifShown: error) }
    }

    func signIn() async -> Bool {
        await perform(.signIn) { [name, password] backend in
            try await backend.signIn(name: name, password: password, device: "Reader")
        }
    }

    func signUp() async -> Bool {
        await perform(.signUp) { [name, password] backend in
            try await backend.signUp(name: name, password: password, device: "Reader")
        }
    }

    func signOut() async {
        await app.signOut(removingFiles: removesFiles)
        user = nil
    }

    /// Deletes the account of the user, who has just entered the password once more, with what it
    /// has on the device.
    func delete() async -> Bool {
        let place = app.library?.offline.store.place
        let isDeleted = await perform(.save) { [password, deletesComments] backend in
            try await backend.send(
                DeleteMeRequest(
                    current: password, comments: deletesComments ? .delete : .keep))
        }
        if isDeleted {
            app.removeFiles(of: place)
            user = nil
        }
        return isDeleted
    }

    private func perform<Result>(
        _ purpose: ErrorText.Purpose, _ work: @MainActor (BackendService) async throws -> Result
    ) async -> Bool {
        isBusy = true
        defer { isBusy = false }
        do {
            _ = try await work(app.backend)
            (password, problem) = ("", nil)
            return true
        } catch {
            problem = ErrorText(ifShown: error, for: purpose)
            return false
        }
    }
}
