/// Messages as people read them, in logs, in the console of a debugger (`dump`) and where an
/// expectation of a test fails: without secrets, and of bodies only their sizes.
extension HTTPFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[Content-Type: text/plain, Authorization: Bearer <redacted>]`
    public var description: String {
        let lines = all.map { "\($0.name): \(Redaction.value($0.value, of: $0.name))" }
        return "[\(lines.joined(separator: ", "))]"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `POST /v1/articles [Content-Type: application/json] 16 bytes`
    public var description: String {
        "\(method) \(target.debugDescription) \(fields) \(HTTPBody.bytes(body))"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `200 OK [Content-Type: application/json] 16 bytes`
    public var description: String { "\(status) \(fields) \(body)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `no body`, `16 bytes`, `a stream` or `a stream of 16 bytes`
    public var description: String {
        switch self {
        case .none: "no body"
        case .bytes(let bytes): bytes.isEmpty ? "no body" : "\(bytes.count) bytes"
        case .stream(let stream):
            "a stream" + (stream.length.map { " of \($0) bytes" } ?? "")
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// `description` is the target as sent, with all secrets.
extension RequestTarget: CustomDebugStringConvertible, CustomReflectable {
    public var debugDescription: String { Redaction.text(description) }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
