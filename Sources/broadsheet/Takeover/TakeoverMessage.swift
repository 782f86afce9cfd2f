import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// The messages between two processes while the new one takes over from the old one, a line each:
///
///     old  offer <version> <schema>                    then for each socket, with its descriptor
///          socket <role> <supervisor|own> <address>    and after the last one
///          end
///     new  ready <process> <schema>                    or instead, if it cannot take over
///          failed <reason>
///     old  finishing                                   every few seconds until it is finished
///          connection <role> <peer> <address>          for each, with its descriptor
///          yours                                       the file is closed, its lock is free
///     new  migrating                                   every second during a migration
///          serving
///
/// A process that fails closes the socket. The old process then continues with everything that it
/// had; it kills a new process that stays silent for too long. Version 1 has no `finishing`,
/// `migrating` and schema in `ready`; programs that do not know `failed` treat it as a failure.
enum TakeoverMessage: Equatable {
    case offer(version: Int, schema: Int)
    case socket(ListenerSockets.Role, isActivated: Bool, SocketAddress)
    case end
    case ready(process: Int32, schema: Int?)
    case failed(String)
    case finishing
    case connection(ListenerSockets.Role, peer: SocketAddress, SocketAddress)
    case yours
    case migrating
    case serving

    /// The version that this program offers.
    static let version = 2
    /// The protocol's name in `Upgrade`, which also says its version.
    static let protocolName = "broadsheet-takeover/1"
    /// In characters: a line of the channel may have 4,096 bytes.
    private static let limitReasonBytes = 1_000

    init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        switch (words.first, words.count) {
        case ("offer", 3):
            guard let version = Int(words[1]), (1...Self.version).contains(version),
                let schema = Int(words[2])
            else { return nil }
            self = .offer(version: version, schema: schema)
        case ("socket", 4):
            guard let role = ListenerSockets.Role(rawValue: words[1]),
                let address = Self.address(words[3])
            else { return nil }
            self = .socket(role, isActivated: words[2] == "supervisor", address)
        case ("end", 1): self = .end
        case ("ready", 2...3):
            guard let process = Int32(words[1]), process > 0 else { return nil }
            let schema = words.count == 3 ? Int(words[2]) : nil
            guard words.count == 2 || schema != nil else { return nil }
            self = .ready(process: process, schema: schema)
        case ("failed", 2...): self = .failed(String(line.dropFirst("failed ".count)))
        case ("finishing", 1): self = .finishing
        case ("migrating", 1): self = .migrating
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
        case .offer(let version, let schema): "offer \(version) \(schema)"
        case .socket(let role, let isActivated, let address):
            "socket \(role.rawValue) \(isActivated ? "supervisor" : "own") \(address)"
        case .end: "end"
        case .ready(let process, let schema):
            "ready \(process)" + (schema.map { " \($0)" } ?? "")
        case .failed(let reason): "failed \(reason.prefix(Self.limitReasonBytes))"
        case .finishing: "finishing"
        case .migrating: "migrating"
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

    /// The next message; `nil` at the end of the stream and for an invalid message.
    func receiveMessage() throws(SystemError) -> TakeoverMessage? {
        try receiveLine().flatMap { TakeoverMessage($0) }
    }
}

/// The reply of a server to an upgrade request.
enum UpgradeMessage: Equatable {
    case serving(process: Int32)
    case failed(String)

    /// The protocol's name in `Upgrade`, which also says its version.
    static let protocolName = "broadsheet-upgrade/1"

    init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch (words.first, words.count) {
        case ("serving", 2):
            guard let process = Int32(words[1]) else { return nil }
            self = .serving(process: process)
        case ("failed", 2): self = .failed(words[1])
        default: return nil
        }
    }

    var line: String {
        switch self {
        case .serving(let process): "serving \(process)"
        case .failed(let reason): "failed \(reason)"
        }
    }
}

/// Client connections that are being handed over from one process to the next.
final class HandedOffConnections: Sendable {
    /// A connection, and the listening socket that accepted it.
    struct Entry: Sendable {
        let descriptor: Int32
        let peer: SocketAddress
        let role: ListenerSockets.Role
        let address: SocketAddress
    }

    private let entries = Lock<[Entry]>([])

    deinit {
        for entry in entries.withLock({ $0 }) { close(entry.descriptor) }
    }

    /// The connections, which stay owned by this object.
    var all: [Entry] { entries.withLock { $0 } }

    func add(
        _ descriptor: consuming Descriptor, from peer: SocketAddress, _ role: ListenerSockets.Role,
        _ address: SocketAddress
    ) {
        let raw = descriptor.release()
        entries.withLock {
            $0.append(Entry(descriptor: raw, peer: peer, role: role, address: address))
        }
    }

    /// Passes each open connection to the closure, which then owns it.
    func takeAll(_ body: (consuming Descriptor, Entry) -> Void) {
        for entry in entries.withLock({ entries in
            defer { entries = [] }
            return entries
        }) { body(Descriptor(entry.descriptor), entry) }
    }
}
