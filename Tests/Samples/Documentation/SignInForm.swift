import BroadsheetKit

/// The model of a form that signs in, and then loads what the first screen shows.
@MainActor final class SignInForm {
    private(set) var bookmarks: [Bookmark] = []
    private(set) var problem: ErrorText?
    private let backend: BackendService
    private let queue = NetworkQueue()

    init(_ backend: BackendService) { self.backend = backend }

    func submit(name: String, password: String) async {
        problem = nil
        let signIn = SignInOperation(name: name, password: password, on: backend)
        let list = ServiceOperation(
            FetchBookmarksRequest(), on: backend, after: [signIn.operation])
        queue.add(signIn)
        queue.add(list)
        do throws(BackendError) {
            bookmarks = try await list.value().items
        } catch { if !error.isStopped { problem = error.text(for: .signIn) } }
    }

    /// The user closes the form: neither request is sent, or its response is dropped.
    func cancel() { queue.cancelAll() }
}
