/// Removes secrets from text that is shown or logged.
package enum Redaction {
    package static let mark = "<redacted>"

    private static let secretFields: [HTTPFieldName] = [
        .authorization, .proxyAuthorization, .cookie, .setCookie,
    ]
    private static let secretNames: Set<String> = [
        "password", "current", "token", "accesstoken", "refreshtoken", "idtoken", "nonce",
        "invitation", "secret", "key", "apikey",
    ]
    /// The prefixes of the backend's keys, tokens and invitations.
    private static let secretPrefixes = ["bsk_", "bsa_", "bsr_", "bsi_"]

    package static func value(_ value: String, of name: String) -> String {
        guard let field = HTTPFieldName(name), secretFields.contains(field) else {
            return text(value)
        }
        // The scheme (`Bearer`) is not secret.
        let isCookie = field == .cookie || field == .setCookie
        let parts = value.split(separator: " ", maxSplits: 1)
        return parts.count == 2 && !isCookie ? "\(parts[0]) \(mark)" : mark
    }

    /// The text without keys and tokens and without the values of secret query parameters.
    package static func text(_ text: String) -> String {
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

    /// Returns true if values with this name are secret, as in queries and JSON.
    package static func isSecretName(_ name: String) -> Bool {
        secretNames.contains(name.lowercased().filter(\.isLetter))
    }
}
