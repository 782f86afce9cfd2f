import Network

/// What two processes say to each other while the one takes over from the other, a line each:
///
///     old  offer 1 <schema>                            then for each socket, with its descriptor
///          socket <role> <supervisor|own> <address>    and at the end of them
///          end
///     new  ready <process>
///     old  connection <role> <peer> <address>          for each, with its descriptor
///          yours                                       the file is closed, its lock is free
///     new  serving
///
/// Whoever fails closes the socket. The old one goes on then, with everything that it had.
enum TakeoverMessage: Equatable {
    case offer(schema: Int)
    case socket(ListenerSockets.Role, isActivated: Bool, SocketAddress)
    case end
    case ready(process: Int32)
    case connection(ListenerSockets.Role, peer: SocketAddress, SocketAddress)
    case yours
    case serving

    /// The protocol's name in `Upgrade`, which also says its version.
    static let protocolName = "broadsheet-takeover/1"

    init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        switch (words.first, words.count) {
        case ("offer", 3):
            guard words[1] == "1", let schema = Int(words[2]) else { return nil }
            self = .offer(schema: schema)
        case ("socket", 4):
            guard let role = ListenerSockets.Role(rawValue: words[1]),
                let address = Self.address(words[3])
            else { return nil }
            self = .socket(role, isActivated: words[2] == "supervisor", address)
        case ("end", 1): self = .end
        case ("ready", 2):
            guard let process = Int32(words[1]) else { return nil }
            self = .ready(process: process)
        case ("connection", 4):
            guard let role = ListenerSockets.Role(rawValue: words[1]),
                let address = Self.address(words[3]),
                let peer = words[2] == "unix" ? address : Self.address(words[2])
            else { return nil }
            self = .connection(role, peer: peer, address)
        case ("yours", 1): self = .yours
        case ("serving", 1): self = .serving
        default: return nil
        }
    }

    var line: String {
        switch self {
        case .offer(let schema): "offer 1 \(schema)"
        case .socket(let role, let isActivated, let address):
            "socket \(role.rawValue) \(isActivated ? "supervisor" : "own") \(address)"
        case .end: "end"
        case .ready(let process): "ready \(process)"
        case .connection(let role, let peer, let address):
            "connection \(role.rawValue) \(Self.word(peer)) \(address)"
        case .yours: "yours"
        case .serving: "serving"
        }
    }

    /// The peer of a Unix socket has no address of its own.
    private static func word(_ peer: SocketAddress) -> String {
        if case .unix = peer { "unix" } else { peer.description }
    }

    private static func address(_ text: String) -> SocketAddress? {
        do throws(SocketAddress.ParsingError) {
            return try SocketAddress.resolve(text).first
        } catch { return nil }
    }
}

extension DescriptorChannel {
    func send(_ message: TakeoverMessage, with descriptor: Int32 = -1) throws(SystemError) {
        try send(message.line, with: descriptor)
    }

    /// The next message; `nil` at the end, and for what is none.
    func receiveMessage() throws(SystemError) -> TakeoverMessage? {
        try receiveLine().flatMap { TakeoverMessage($0) }
    }
}
