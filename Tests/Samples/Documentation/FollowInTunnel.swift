import BroadsheetKit

/// Keeps the library current and sends what was written, while the scene is in the foreground.
func follow(
    _ library: OfflineLibrary, phases: AsyncStream<Bool>
) async throws(OfflineError) {
    async let scene: Void = {
        for await isActive in phases { isActive ? library.resume() : library.suspend() }
    }()
    try await library.run()
    await scene
}

/// The system has woken up the app in the background, or its user has pulled the list.
func refresh(_ library: OfflineLibrary, isForUser: Bool) async throws(OfflineError) {
    try await library.refresh(isForUser: isForUser)
}

/// The app has left the tunnel, or entered one.
func networkChanged(_ library: OfflineLibrary) {
    library.networkDidChange()
}
