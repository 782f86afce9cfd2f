import BroadsheetHTTP
import BroadsheetMarkup

/// URLs of feeds.
enum FeedAddress {
    static let limitBytes = 2_000

    /// The absolute http(s) URL that a reference means; `nil` if there is none.
    static func resolved(_ reference: String, against base: String) -> String? {
        guard reference.utf8.count <= limitBytes, !reference.trimmed.isEmpty,
            let url = Reference.resolve(reference, against: base), url.utf8.count <= limitBytes,
            isWeb(url)
        else { return nil }
        return url
    }

    static func isWeb(_ url: String) -> Bool {
        ["http", "https"].contains(Reference.scheme(of: url)) && url.contains(bytesOf: "://")
    }

    /// HTML with absolute URLs.
    static func resolved(html: String, against base: String) -> String {
        HTMLFragment(html)?.resolvingAddresses(against: base) ?? html
    }
}
