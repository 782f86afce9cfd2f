/// Octets of HTTP/2, valid or not as a test requires: they are made here without the code under
/// test.
public enum TestFrame {
    /// A frame (RFC 9113 §4.1).
    ///
    /// - Parameter length: The declared length; `nil`: the actual one.
    public static func bytes(
        _ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = [],
        length: Int? = nil
    ) -> [UInt8] {
        let count = UInt32(length ?? payload.count)
        let head: [UInt8] = [
            UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags,
        ]
        return head + number(stream) + payload
    }

    /// 32 bits, the most significant first.
    public static func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) }
    }

    /// A field without compression (RFC 7541 §6.2.2).
    public static func field(_ name: String, _ value: String) -> [UInt8] {
        [0] + text(name) + text(value)
    }

    /// A string of at most 16 KiB without Huffman coding (RFC 7541 §5.2).
    private static func text(_ text: String) -> [UInt8] {
        let count = text.utf8.count
        guard count >= 127 else { return [UInt8(count)] + Array(text.utf8) }
        let rest = count - 127
        return [127, UInt8(rest & 127 | 128), UInt8(rest >> 7)] + Array(text.utf8)
    }

    /// The connection preface of a client, with empty settings (RFC 9113 §3.4).
    public static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + bytes(4)

    /// A request's field block: its method, path and authority, and further fields.
    public static func block(
        _ method: String = "GET", _ path: String = "/", authority: String? = "localhost",
        _ fields: [(String, String)] = []
    ) -> [UInt8] {
        var all = [(":method", method), (":scheme", "http"), (":path", path)]
        if let authority { all.append((":authority", authority)) }
        return (all + fields).flatMap { field($0.0, $0.1) }
    }

    /// A request in one frame.
    ///
    /// - Parameter isLast: True if no body follows.
    public static func request(
        _ stream: UInt32, _ method: String = "GET", _ path: String = "/hello",
        isLast: Bool = true, _ fields: [(String, String)] = []
    ) -> [UInt8] {
        bytes(1, flags: isLast ? 5 : 4, stream: stream, block(method, path, fields))
    }
}

/// A frame that was received.
public struct ReceivedFrame: Sendable, CustomStringConvertible {
    public let type: UInt8
    public let flags: UInt8
    public let stream: UInt32
    public let payload: [UInt8]

    /// The code of an RST_STREAM or GOAWAY frame.
    public var code: UInt32? {
        switch type {
        case 3: number(at: 0)
        case 7: number(at: 4)
        default: nil
        }
    }

    /// The 32 bits at an offset of the payload, without the highest bit.
    public func number(at offset: Int) -> UInt32? {
        guard payload.count >= offset + 4 else { return nil }
        return payload[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    }

    public var description: String {
        "type \(type), flags \(flags), stream \(stream), \(payload.count) bytes"
            + (code.map { ", code \($0)" } ?? "")
    }
}

extension RawConnection {
    /// The next frame; `nil` at the end of the connection.
    public func frame() throws -> ReceivedFrame? {
        guard let head = try exactly(9) else { return nil }
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard let payload = try exactly(length) else { return nil }
        let stream = head[5...8].reduce(0) { $0 << 8 | UInt32($1) }
        return ReceivedFrame(type: head[3], flags: head[4], stream: stream, payload: payload)
    }

    /// Frames up to the first that fits, which is the last; all of them if the connection ends
    /// before.
    public func frames(until fits: (ReceivedFrame) -> Bool) throws -> [ReceivedFrame] {
        var frames: [ReceivedFrame] = []
        while let frame = try frame() {
            frames.append(frame)
            if fits(frame) { break }
        }
        return frames
    }

    /// So many bytes; `nil` if the connection ends before or is reset.
    private func exactly(_ count: Int) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try? receive(limit: count - bytes.count)
            guard let more, !more.isEmpty else { return nil }
            bytes += more
        }
        return bytes
    }
}
