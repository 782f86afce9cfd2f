/// A media type (RFC 9110 §8.3.1), with its parameters.
public struct MediaType: Sendable, Hashable {
    /// In lower case.
    public let type: String
    /// In lower case.
    public let subtype: String
    /// Names in lower case.
    public let parameters: [Parameter]

    public struct Parameter: Sendable, Hashable {
        public let name: String
        public let value: String
    }

    /// Reads a field's value; `nil` if it is no media type.
    public init?(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let names = parts[0].split(separator: "/", omittingEmptySubsequences: false)
            .map { String($0).trimmed }
        guard names.count == 2, names.allSatisfy(Self.isToken) else { return nil }
        type = names[0].lowercased()
        subtype = names[1].lowercased()
        var parameters: [Parameter] = []
        for part in parts.dropFirst() where !String(part).trimmed.isEmpty {
            let halves = part.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            guard halves.count == 2, Self.isToken(halves[0]) else { return nil }
            var value = halves[1]
            if value.utf8.count >= 2, value.first == "\"", value.last == "\"" {
                value = String(value.dropFirst().dropLast())
            } else if !Self.isToken(value) {
                return nil
            }
            parameters.append(Parameter(name: halves[0].lowercased(), value: value))
        }
        self.parameters = parameters
    }

    /// Whether type and subtype are those of `text` (`application/json`), in lower case.
    public func `is`(_ text: String) -> Bool { "\(type)/\(subtype)" == text }

    /// The parameter's value; `nil` without it.
    public func parameter(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(Token.contains)
    }
}

extension MediaType {
    /// Whether an `Accept` value takes this type (RFC 9110 §12.5.1): the most specific range that
    /// covers it decides, unless its weight is 0. Without a value, and with one that cannot be
    /// read, everything is taken.
    public func isAccepted(by accept: String?) -> Bool {
        guard let accept, !accept.trimmed.isEmpty else { return true }
        var best = (specificity: -1, quality: 0.0)
        for element in accept.split(separator: ",") {
            guard let range = MediaType(String(element)) else { continue }
            guard let specificity = specificity(of: range) else { continue }
            let quality = range.parameter("q").flatMap(Double.init) ?? 1
            if specificity > best.specificity { best = (specificity, quality) }
        }
        return best.quality > 0
    }

    private func specificity(of range: MediaType) -> Int? {
        if range.type == "*" { return range.subtype == "*" ? 0 : nil }
        guard range.type == type else { return nil }
        if range.subtype == "*" { return 1 }
        return range.subtype == subtype ? 2 : nil
    }
}
