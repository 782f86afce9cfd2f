import BroadsheetKit
import Foundation

/// The parts of the app that depend on the device and on how the app was launched.
@MainActor enum Setup {
    /// `BackendURL` of the app's Info.plist.
    private static var baseURL: BaseURL {
        let text = Bundle.main.object(forInfoDictionaryKey: "BackendURL") as? String
        return text.flatMap { BaseURL($0) } ?? "http://localhost:8080"
    }

    static var backend: BackendService {
        let baseURL = baseURL
        let keychain = KeychainCredentialStore(service: "org.example.reader", baseURL: baseURL)
        // Without a keychain, the session ends with the app.
        let auth = (try? BackendAuth(store: keychain)) ?? BackendAuth()
        return appBackend(at: baseURL, auth: auth)
    }

    /// A folder that is not backed up; `nil` to keep everything in memory, as with samples.
    static var folder: String? {
        guard !CommandLine.arguments.contains("-samples") else { return nil }
        var folder = URL.applicationSupportDirectory.appending(path: "Library")
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            try folder.setResourceValues(values)
        } catch { return nil }
        return folder.path(percentEncoded: false)
    }
}
