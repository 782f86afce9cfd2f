import ArticleAPI
import ArticleStore

/// Changes as server-sent events (the HTML standard, §9.2).
struct ChangeEvents: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The end of the event of each change, in the order of their sequence numbers.
    private(set) var ends: [(sequence: Int64, offset: Int)] = []

    /// The events of changes with a number above this one.
    package func bytes(beyond sequence: Int64) -> ArraySlice<UInt8> {
        let skipped = ends.last { $0.sequence <= sequence }?.offset ?? 0
        return bytes[skipped...]
    }

    fileprivate mutating func append(
        _ name: StaticString, id: String, data: [UInt8], sequence: Int64? = nil
    ) {
        bytes += "event: \(name)\nid: \(id)\ndata: ".utf8
        bytes += data
        bytes += "\n\n".utf8
        if let sequence { ends.append((sequence, bytes.count)) }
    }

    /// A comment, which clients ignore: it shows them and proxies that the stream is alive.
    static let comment = Array(":\n\n".utf8)

    /// The time that the client waits before it connects again.
    static func retry(milliseconds: Int) -> [UInt8] { Array("retry: \(milliseconds)\n\n".utf8) }
}

/// Encodes the changes of one list as events.
struct ChangeEventEncoder: Sendable {
    private let list: ChangeList
    private let tokens: ChangeTokens
    private let encoding = SyncChange<Article>.encoding

    init(_ list: ChangeList, tokens: ChangeTokens) {
        self.list = list
        self.tokens = tokens
    }

    /// The events of a slice: after each of them, the client resumes with its id.
    ///
    /// - Parameter start: the position from which the slice was read.
    func events(of slice: ChangeSlice, after start: ChangePosition?) -> ChangeEvents {
        var events = ChangeEvents()
        for (index, item) in slice.items.enumerated() {
            let isLast = index == slice.items.count - 1
            let position =
                isLast ? slice.position : slice.position(at: index, after: start)
            events.append(
                "change", id: id(of: position), data: encoding.write(item.change, list.fields),
                sequence: item.sequence)
        }
        return events
    }

    /// The event that says that a client has caught up.
    func ready(at position: ChangePosition) -> [UInt8] {
        var events = ChangeEvents()
        events.append("ready", id: id(of: position), data: Array("{}".utf8))
        return events.bytes
    }

    /// Moves the client's id without an event.
    func passing(_ position: ChangePosition) -> [UInt8] {
        Array("id: \(id(of: position))\n\n".utf8)
    }

    private func id(of position: ChangePosition) -> String {
        tokens.seal(position, in: list.name)
    }
}
