import BroadsheetHTTP

/// Collects the fields of one field block, and makes the head of a message of them.
///
/// The head is written as HTTP/1.1 would have it and parsed by the parser of HTTP/1.1, so that both
/// versions have the same rules and limits. An octet that would end a line never gets that far.
struct ReceivedHead {
    private var method: [UInt8] = []
    private var path: [UInt8] = []
    private var authority: [UInt8] = []
    private var status: [UInt8] = []
    private var host: [UInt8]?
    /// The values of `cookie`, which may arrive in pieces (RFC 9113 §8.2.3).
    private var cookie: [UInt8] = []
    private var lines: [UInt8] = []
    private var fault: HTTPParseError?
    /// The size of the list by RFC 9113 §6.5.2.
    private(set) var listBytes = 0
    private let limits: HTTPLimits

    init(limits: HTTPLimits) { self.limits = limits }

    /// Removes everything but keeps the capacity.
    mutating func removeAll() {
        method.removeAll(keepingCapacity: true)
        path.removeAll(keepingCapacity: true)
        authority.removeAll(keepingCapacity: true)
        status.removeAll(keepingCapacity: true)
        host = nil
        cookie.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        fault = nil
        listBytes = 0
    }

    /// Releases unusual amounts of memory: most connections are idle most of the time.
    mutating func shrink() {
        if lines.capacity + path.capacity + cookie.capacity > 4_096 {
            self = ReceivedHead(limits: limits)
        }
    }

    /// True if it is the head of a response, rather than trailers.
    var hasStatus: Bool { !status.isEmpty }

    /// Adds a field. One that exceeds the limits or is invalid is not kept; the fault is reported
    /// with the whole head.
    mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        listBytes += name.count + value.count + 32
        guard fault == nil else { return }
        guard listBytes <= limits.requestLineBytes + limits.fieldBytes + 32 * (limits.fields + 8)
        else { return reject(.requestHeaderFieldsTooLarge, "too many bytes of fields") }
        guard value.allSatisfy({ $0 >= 0x20 ? $0 != 0x7F : $0 == 0x09 }) else {
            return reject(.badRequest, "a control character in a field")
        }
        guard let first = name.first else { return reject(.badRequest, "a field without a name") }
        if first == UInt8(ascii: ":") { return addPseudo(name, value) }
        guard !name.contains(where: { $0 == UInt8(ascii: ":") || (65...90).contains($0) }) else {
            return reject(.badRequest, "a field name that is not in lower case")
        }
        guard !Self.isSpace(value.first), !Self.isSpace(value.last) else {
            return reject(.badRequest, "a field value that begins or ends with white space")
        }
        if Self.equal(name, "host") {
            guard host == nil else { return reject(.badRequest, "more than one Host field") }
            host = Array(value)
        } else if Self.equal(name, "cookie") {
            if !cookie.isEmpty { cookie += [UInt8(ascii: ";"), 0x20] }
            cookie += value
        } else if Self.isOfConnection(name, value) {
            reject(.badRequest, "a field of an HTTP/1 connection")
        } else {
            Self.append(name, value, to: &lines)
        }
    }

    private mutating func addPseudo(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) {
        switch name.count {
        case 5: path += value
        case 7 where name[1] == UInt8(ascii: "m"): method += value
        case 7 where name[2] == UInt8(ascii: "t"): status += value
        case 7:
            guard Self.equal(value, "https") || Self.equal(value, "http") else {
                return reject(.badRequest, "a scheme other than http and https")
            }
        case 10: authority += value
        default: reject(.badRequest, "an unknown pseudo-header field")
        }
    }

    private mutating func reject(_ status: HTTPStatus, _ detail: String) {
        fault = HTTPParseError(status, detail)
    }

    // MARK: The head

    /// - Parameter isLast: True if no body follows.
    func request(isLast: Bool) -> Result<RequestHead, HTTPParseError> {
        if let fault { return .failure(fault) }
        let isConnect = method.elementsEqual("CONNECT".utf8)
        let target = isConnect ? authority : path
        guard !method.contains(0x20) else {
            return .failure(HTTPParseError(.badRequest, "a space in its method"))
        }
        guard !target.contains(0x20) else {
            let error = RequestTarget.ParsingError.octet(0x20)
            return .failure(HTTPParseError(.badRequest, error.description))
        }
        guard isConnect || target.first == UInt8(ascii: "/") || target == [UInt8(ascii: "*")] else {
            return .failure(HTTPParseError(.badRequest, "a path that does not begin with a slash"))
        }
        if let host, !authority.isEmpty, host != authority {
            return .failure(HTTPParseError(.badRequest, "a Host other than its :authority"))
        }
        var text = method
        text.reserveCapacity(
            method.count + target.count + authority.count + lines.count + cookie.count + 48)
        text.append(0x20)
        text += target
        text += " HTTP/1.1\r\n".utf8
        if let host = host ?? (authority.isEmpty ? nil : authority) {
            text += "host: ".utf8
            text += host
            text += [0x0D, 0x0A]
        }
        appendFields(to: &text)
        var parser = RequestParser(limits: limits)
        let bytes = text[...]
        do throws(HTTPParseError) {
            guard var head = try parser.parse(bytes.span) else {
                return .failure(HTTPParseError(.badRequest, "an incomplete head"))
            }
            head.version = .http2
            head.keepsAlive = true
            if isLast {
                head.framing = .none
                head.expectsContinue = false
            } else if head.framing == .none {
                head.framing = .untilClose
                head.expectsContinue = head.fields.list(.expect, has: "100-continue")
            }
            return .success(head)
        } catch { return .failure(error) }
    }

    /// `nil` if the head is not valid.
    func response() -> ResponseHead? {
        guard fault == nil else { return nil }
        var text = Array("HTTP/1.1 ".utf8)
        text += status
        text += " \r\n".utf8
        appendFields(to: &text)
        var parser = ResponseParser(limits: limits)
        let bytes = text[...]
        guard var head = try? parser.parse(bytes.span, to: .get) else { return nil }
        head.version = .http2
        head.keepsAlive = true
        return head
    }

    private func appendFields(to text: inout [UInt8]) {
        text += lines
        if !cookie.isEmpty {
            text += "cookie: ".utf8
            text += cookie
            text += [0x0D, 0x0A]
        }
        text += [0x0D, 0x0A]
    }

    private static func append(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>,
        to lines: inout [UInt8]
    ) {
        lines.append(contentsOf: name)
        lines.append(UInt8(ascii: ":"))
        lines.append(0x20)
        lines.append(contentsOf: value)
        lines.append(0x0D)
        lines.append(0x0A)
    }

    // MARK: Octets

    private static func isSpace(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func equal(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        for index in bytes.indices where bytes[index] != text.utf8Start[index] { return false }
        return true
    }

    /// RFC 9113 §8.2.2; `te` may only announce trailers.
    private static func isOfConnection(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        switch name.count {
        case 2: equal(name, "te") && !equal(value, "trailers")
        case 7: equal(name, "upgrade")
        case 10: equal(name, "connection") || equal(name, "keep-alive")
        case 16: equal(name, "proxy-connection")
        case 17: equal(name, "transfer-encoding")
        default: false
        }
    }
}
