import BroadsheetKit

/// Keeps the library current and sends what was written, until its task is cancelled.
func follow(_ library: OfflineLibrary) async throws(ArticleMirrorError) {
    async let sending: Void = library.outbox.run()
    try await library.mirror.run()
    await sending
}

/// The app has left the tunnel, or entered one.
func networkChanged(_ library: OfflineLibrary) {
    library.service.backend.networkDidChange()
}
