import BroadsheetKit

/// Everything that the app has: one service, and what it keeps on the device.
struct ReaderApp {
    let backend: BackendService
    let library: OfflineLibrary

    /// - Parameters:
    ///   - baseURL: of the backend, as in "https://articles.example.org".
    ///   - file: in a folder of the app's own files that is not backed up.
    init(at baseURL: BaseURL, keepingArticlesIn file: String) throws(OfflineError) {
        backend = BackendService(configuration: BackendConfiguration(baseURL: baseURL))
        library = try OfflineLibrary(.file(file), on: backend)
    }

    /// The lists and articles that its screens load are kept, and are there without a network.
    @MainActor func reader() -> ReaderModel { ReaderModel(library.backend) }
}
