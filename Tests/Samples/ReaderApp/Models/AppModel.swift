import BroadsheetKit
import Foundation
import Observation

/// The session, and the library of its account. Another account has another library.
@MainActor @Observable final class AppModel {
    let backend: BackendService
    /// `nil` until it is known who is signed in.
    private(set) var library: LibraryModel?
    /// True if the session has ended elsewhere: its library stays, and its user signs in again.
    private(set) var isExpired = false
    private(set) var problem: ErrorText?
    @ObservationIgnored private let folder: String?
    @ObservationIgnored private var conditions: NetworkConditions = []

    /// - Parameters:
    ///   - backend: the service of the app.
    ///   - folder: an existing folder of the app's own files that is not backed up; `nil` to keep
    ///     everything in memory.
    init(_ backend: BackendService, keepingFilesIn folder: String?) {
        self.backend = backend
        self.folder = folder
    }

    /// Opens the library of the user who is signed in, and another one with another session, until
    /// the task is cancelled.
    func follow() async {
        for await state in backend.auth.states {
            isExpired = false
            switch state {
            case .unavailable: break
            case .signedOut: open(nil)
            case .signedIn(let account): open(account)
            case .expired(let account):
                isExpired = true
                open(account)
            }
        }
    }

    /// Closes connections in the background, and goes on in the foreground.
    func sceneDidChange(isActive: Bool) {
        if isActive {
            // Before the first unlock of the device, the session could not be read.
            try? backend.auth.reload()
            library?.offline.resume()
        } else {
            library?.offline.suspend()
        }
    }

    /// Tries again at once if there is another network.
    func networkDidChange(to conditions: NetworkConditions) {
        self.conditions = conditions
        library?.conditions = conditions
        if !conditions.contains(.offline) { backend.networkDidChange() }
    }

    /// Signs out and, where others use the device, too, removes what the account has on it.
    func signOut(removingFiles: Bool) async {
        let place = library?.offline.store.place
        await backend.signOut()
        if removingFiles { removeFiles(of: place) }
    }

    /// Removes what an account that was deleted has on the device.
    func removeFiles(of place: ModelStore.Location?) {
        guard let path = place?.path else { return }
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private func open(_ account: String?) {
        guard library == nil || library?.account != account else { return }
        let place: ModelStore.Location =
            folder.map { .file(in: $0, of: account, at: backend.configuration.baseURL) }
            ?? .memory(of: account)
        do {
            library = LibraryModel(try OfflineLibrary(place, on: backend))
            library?.conditions = conditions
            problem = nil
        } catch { problem = ErrorText(error) }
    }
}
