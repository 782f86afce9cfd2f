import ArticleAPI
public import HTTP

/// Removes secrets from text that is shown or logged.
enum Redaction {
    static let mark = "<redacted>"

    private static let secretFields: [HTTPFieldName] = [
        .authorization, .proxyAuthorization, .cookie,
    ]
    private static let secretNames: Set<String> = [
        "password", "current", "token", "accesstoken", "refreshtoken", "idtoken", "nonce",
        "invitation", "secret", "key", "apikey",
    ]
    /// The prefixes of the backend's keys, tokens and invitations.
    private static let secretPrefixes = ["bsk_", "bsa_", "bsr_", "bsi_"]

    static func value(_ value: String, of name: String) -> String {
        guard let field = HTTPFieldName(name), secretFields.contains(field) else {
            return text(value)
        }
        // The scheme (`Bearer`) is not secret.
        let parts = value.split(separator: " ", maxSplits: 1)
        return parts.count == 2 && field != .cookie ? "\(parts[0]) \(mark)" : mark
    }

    /// The text without keys and tokens and without the values of secret query parameters.
    static func text(_ text: String) -> String {
        var result = ""
        var word = ""
        var isSecret = false
        // Invariant: `result` has everything before `word`, a run of characters of a token.
        for character in text + "\n" {
            if character.isLetter || character.isNumber || character == "_" || character == "-" {
                word.append(character)
                continue
            }
            let hasPrefix = secretPrefixes.contains { word.hasPrefix($0) }
            result += !word.isEmpty && (hasPrefix || isSecret) ? mark : word
            isSecret = character == "=" && isSecretName(word) || isSecret && character == "%"
            result.append(character)
            word = ""
        }
        return String(result.dropLast())
    }

    /// A body without the values of secret names in JSON, at any depth.
    static func body(_ text: String, _ bytes: [UInt8]) -> String {
        guard let value = try? JSONParser.parse(bytes) else { return Self.text(text) }
        guard hasSecrets(value) else { return Self.text(text) }
        var writer = JSONWriter(capacity: bytes.count)
        redacted(value).write(to: &writer)
        return Self.text(String(decoding: writer.bytes, as: UTF8.self))
    }

    private static func isSecretName(_ name: String) -> Bool {
        secretNames.contains(name.lowercased().filter(\.isLetter))
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
/// let line = CurlLine.text(of: request, to: origin)
/// ```
public enum CurlLine {
    /// The longest body that is included, in bytes.
    private static let bodyLimit = 16 << 10

    public static func text(of request: HTTPRequest, to origin: HTTPOrigin) -> String {
        var words = ["curl"]
        if request.method == .head {
            words.append("--head")
        } else if request.method != .get || !request.body.isEmpty {
            words += ["-X", request.method.rawValue]
        }
        if case .unix(let path) = origin.place { words += ["--unix-socket", quoted(path)] }
        let base = origin.place.isUnix ? "http://localhost" : origin.description
        words.append(quoted(base + Redaction.text(request.target.description)))
        for (name, value) in request.fields.all {
            words += ["-H", quoted("\(name): \(Redaction.value(value, of: name))")]
        }
        if !request.body.isEmpty { words += ["--data-binary", quoted(body(request.body))] }
        return words.joined(separator: " ")
    }

    private static func body(_ bytes: [UInt8]) -> String {
        guard bytes.count <= bodyLimit, let text = String(validating: bytes, as: UTF8.self) else {
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

extension HTTPOrigin.Place {
    var isUnix: Bool { if case .unix = self { true } else { false } }
}
