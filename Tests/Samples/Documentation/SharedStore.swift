import BroadsheetKit

/// The titles that a widget shows: what the app has stored, without a network.
///
/// - Parameter file: in the folder that the app shares with the widget.
func widgetTitles(in file: String) async throws(OfflineError) -> [String] {
    let store = try ModelStore(.file(file))
    return try await store.loadArticles(limit: 3).map(\.article.title)
}

/// The app is active again: shows what the widget's or another extension's process has stored.
func becomeActive(_ library: OfflineLibrary) async throws(OfflineError) {
    library.resume()
    try await library.store.refresh()
}
