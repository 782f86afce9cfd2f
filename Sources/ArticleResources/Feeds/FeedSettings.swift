import BroadsheetPlatform

/// The server's description in feeds: their title, and the URLs in them.
public final class FeedSettings: Sendable {
    /// The title of all feeds.
    let title: String
    private let current: Lock<PublicAddresses?>

    public static let defaultTitle = "Articles"

    /// - Parameter addresses: `nil` if they depend on where the server will listen: feeds are
    ///   unavailable until `isServed` is called.
    public init(addresses: PublicAddresses?, title: String = FeedSettings.defaultTitle) {
        current = Lock(addresses)
        self.title = title
    }

    var addresses: PublicAddresses? { current.withLock { $0 } }

    /// Sets the addresses, unless they were configured.
    public func isServed(at addresses: @autoclosure () -> PublicAddresses?) {
        current.withLock { $0 = $0 ?? addresses() }
    }
}
