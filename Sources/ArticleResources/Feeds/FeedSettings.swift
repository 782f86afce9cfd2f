import BroadsheetPlatform

/// The server's description in feeds: their title, and the URLs in them.
public final class FeedSettings: Sendable {
    /// The title of all feeds.
    let title: String
    private let current: Lock<PublicURLs?>

    public static let defaultTitle = "Articles"

    /// - Parameter addresses: `nil` if they depend on where the server will listen: feeds are
    ///   unavailable until `isServed` is called.
    public init(addresses: PublicURLs?, title: String = FeedSettings.defaultTitle) {
        current = Lock(addresses)
        self.title = title
    }

    var addresses: PublicURLs? { current.withLock { $0 } }

    /// Sets the addresses, unless they were configured.
    public func isServed(at addresses: @autoclosure () -> PublicURLs?) {
        current.withLock { $0 = $0 ?? addresses() }
    }
}
