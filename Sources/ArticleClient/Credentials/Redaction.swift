import ArticleAPI
public import BroadsheetHTTP

extension Redaction {
    /// A body without the values of secret names in JSON, at any depth.
    static func body(_ text: String, _ bytes: [UInt8]) -> String {
        guard let value = try? JSONParser.parse(bytes) else { return Self.text(text) }
        guard hasSecrets(value) else { return Self.text(text) }
        var writer = JSONWriter(capacity: bytes.count)
        redacted(value).write(to: &writer)
        return Self.text(String(decoding: writer.bytes, as: UTF8.self))
    }

    private static func hasSecrets(_ value: JSONValue) -> Bool {
        switch value {
        case .array(let items): items.contains(where: hasSecrets)
        case .object(let members):
            members.contains { isSecretName($0.name) || hasSecrets($0.value) }
        default: false
        }
    }

    private static func redacted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let items): .array(items.map(redacted))
        case .object(let members):
            .object(
                members.map { member in
                    .init(
                        name: member.name,
                        value: isSecretName(member.name) ? .string(mark) : redacted(member.value))
                })
        default: value
        }
    }
}

/// Requests as shell commands, for reproducing them by hand. Secrets are omitted.
///
/// A line is one command for a POSIX shell, whatever the request contains. Its functions may be
/// used on any thread.
///
/// ```swift
/// let line = CurlCommand.text(of: request, to: origin)
/// ```
public enum CurlCommand {
    /// The longest body that is included, in bytes.
    private static let limitBodyBytes = 16 << 10

    public static func text(of request: HTTPRequest, to origin: HTTPOrigin) -> String {
        var words = ["curl"]
        if request.method == .head {
            words.append("--head")
        } else if request.method != .get || !request.body.isEmpty {
            words += ["-X", request.method.rawValue]
        }
        if case .unix(let path) = origin.endpoint { words += ["--unix-socket", quoted(path)] }
        let base = origin.endpoint.isUnix ? "http://localhost" : origin.description
        words.append(quoted(base + Redaction.text(request.target.description)))
        for (name, value) in request.fields.all {
            words += ["-H", quoted("\(name): \(Redaction.value(value, of: name))")]
        }
        if !request.body.isEmpty { words += ["--data-binary", quoted(body(request.body))] }
        return words.joined(separator: " ")
    }

    private static func body(_ bytes: [UInt8]) -> String {
        guard bytes.count <= limitBodyBytes, let text = String(validUTF8: bytes) else {
            return "<\(bytes.count) bytes>"
        }
        return Redaction.body(text, bytes)
    }

    /// One word for a POSIX shell.
    private static func quoted(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: "'\\''")
            + "'"
    }
}

extension HTTPOrigin.Endpoint {
    var isUnix: Bool { if case .unix = self { true } else { false } }
}
