import BroadsheetHTTP

/// Parses server-sent events (the HTML standard, §9.2.5 and §9.2.6) from bytes that arrive in
/// pieces of any size.
///
/// It holds the piece that it is reading and at most one event: comments and unknown fields are
/// dropped as they arrive, and events are parsed when they are taken.
struct EventParser: Sendable {
    private enum Field {
        case event, data, id, retry
        /// A comment, or a field that the standard does not know.
        case ignored
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let limitNameBytes = 5

    private let limitBytes: Int
    private var piece: [UInt8] = []
    private var position = 0
    /// The number of bytes of a byte order mark with which the stream began; `nil` after its
    /// beginning.
    private var markBytes: Int? = 0
    private var isAfterReturn = false
    /// The line so far, without ignored bytes.
    private var line: [UInt8] = []
    private var isIgnored = false
    private var type = ""
    /// The lines of data, each followed by a line feed.
    private var data: [UInt8] = []
    private var id = ""

    /// The last id that was set, with an event or without data; empty if there is none.
    private(set) var lastEventID = ""
    /// As last set by the backend.
    private(set) var retry: Duration?

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// Adds the bytes that follow; take the events of earlier ones first.
    mutating func add(_ bytes: [UInt8]) {
        if position == piece.count {
            (piece, position) = (bytes, 0)
        } else {
            piece += bytes
        }
    }

    /// The next event; `nil` if more bytes are needed.
    mutating func next() throws(BackendError) -> ServerSentEvent? {
        if markBytes != nil { skipMark() }
        // Invariant: `line` has the relevant ones of the bytes from the last end of line to
        // `position`.
        while position < piece.count {
            let start = position
            if isAfterReturn {
                isAfterReturn = false
                if piece[start] == 0x0A {
                    position += 1
                    continue
                }
            }
            let end = piece[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? piece.endIndex
            position = end
            try extendLine(with: piece[start..<end])
            guard end < piece.endIndex else { return nil }
            isAfterReturn = piece[end] == 0x0D
            position += 1
            if let event = endLine() { return event }
        }
        return nil
    }

    /// Skips the byte order mark, which may only be at the beginning.
    private mutating func skipMark() {
        while let count = markBytes, position < piece.count {
            guard count < Self.byteOrderMark.count, piece[position] == Self.byteOrderMark[count]
            else {
                // An incomplete mark belongs to the line.
                if count < Self.byteOrderMark.count { line = Array(Self.byteOrderMark[..<count]) }
                markBytes = nil
                return
            }
            position += 1
            markBytes = count + 1
        }
    }

    private mutating func extendLine(with bytes: ArraySlice<UInt8>) throws(BackendError) {
        guard !isIgnored else { return }
        line += bytes
        if field == .ignored {
            line.removeAll(keepingCapacity: line.capacity <= 1 << 10)
            isIgnored = true
        }
        guard line.count + data.count <= limitBytes else {
            throw .transport(
                TransportFailure(.tooLarge, "an event is longer than \(limitBytes) bytes"))
        }
    }

    /// The field of the line; `nil` while its name may continue.
    private var field: Field? {
        let beginning = line.prefix(Self.limitNameBytes + 1)
        guard let colon = beginning.firstIndex(of: UInt8(ascii: ":")) else {
            return beginning.count > Self.limitNameBytes ? .ignored : nil
        }
        return Self.field(line[..<colon])
    }

    private static func field(_ name: ArraySlice<UInt8>) -> Field {
        if name.elementsEqual("data".utf8) { return .data }
        if name.elementsEqual("event".utf8) { return .event }
        if name.elementsEqual("id".utf8) { return .id }
        if name.elementsEqual("retry".utf8) { return .retry }
        return .ignored
    }

    private mutating func endLine() -> ServerSentEvent? {
        defer {
            line.removeAll(keepingCapacity: true)
            isIgnored = false
        }
        guard !isIgnored else { return nil }
        guard !line.isEmpty else { return dispatch() }
        // A line without a colon is a name without a value.
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == 0x20 { value = value.dropFirst() }
        switch Self.field(line[..<colon]) {
        case .event: type = String(decoding: value, as: UTF8.self).streamSafe
        case .data:
            data += value
            data.append(0x0A)
        case .id: if !value.contains(0) { id = String(decoding: value, as: UTF8.self).streamSafe }
        case .retry: retry = Self.milliseconds(value) ?? retry
        case .ignored: break
        }
        return nil
    }

    /// The milliseconds, at most a day; `nil` unless there are only digits.
    private static func milliseconds(_ digits: ArraySlice<UInt8>) -> Duration? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let day = 86_400_000
        return .milliseconds(min(Int(String(decoding: digits, as: UTF8.self)) ?? day, day))
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            type = ""
            data.removeAll(keepingCapacity: data.capacity <= 64 << 10)
        }
        lastEventID = id
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type,
            data: String(decoding: data.dropLast(), as: UTF8.self), id: id, retry: retry)
    }
}
