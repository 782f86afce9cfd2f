/// The uses of the network that an app permits its mirrors.
///
/// The app decides by its platform's means: on Apple's platforms, `ProcessInfo` knows of the low
/// power mode, and the path of an `NWPathMonitor` is constrained or expensive. See
/// ``ArticleMirror``.
public enum NetworkPolicy: Sendable, Hashable {
    /// Requests and streams.
    case unrestricted
    /// Requests that the app makes (`catchUp`), but nothing that keeps a connection open.
    case lowPower
    /// Only requests that the user asks for.
    case constrained
}
