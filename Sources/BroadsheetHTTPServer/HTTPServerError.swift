public import BroadsheetPlatform
public import BroadsheetSockets

/// The reason why a server cannot start. See ``HTTPServer``.
public enum HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another process listens there.
    case addressInUse(SocketAddress)
    case cannotListen(SocketAddress, SystemError)
    case noLoop(SystemError)
    /// A server can only be started once.
    case alreadyStarted
    /// The server was stopped while it was starting.
    case stopped

    public var description: String {
        switch self {
        case .addressInUse(let address): "\(address) is in use"
        case .cannotListen(let address, let error): "cannot listen on \(address): \(error)"
        case .noLoop(let error): "cannot create an event loop: \(error)"
        case .alreadyStarted: "the server has already been started"
        case .stopped: "the server was stopped"
        }
    }
}
