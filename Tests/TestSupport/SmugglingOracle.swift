import BroadsheetHTTP

/// Examines accepted requests independently: could another party frame them differently (RFC 9112
/// §11.2)?
package enum SmugglingOracle {
    /// Returns the ambiguities of a request; empty if every party frames it alike.
    package static func doubts(_ request: ReceivedRequest) -> [String] {
        framing(request) + text(request.head)
    }

    private static func framing(_ request: ReceivedRequest) -> [String] {
        let head = request.head
        let lengths = head.fields.values(of: .contentLength)
        let codings = head.fields.values(of: .transferEncoding)
        let numbers = Set(lengths.flatMap { $0.split(separator: ",").map { number($0) } })
        let fits =
            switch head.framing {
            case .none: request.body.isEmpty && numbers.subtracting([0]).isEmpty && codings.isEmpty
            case .length(let length): request.body.count == length && numbers == [length]
            case .chunked: codings.count == 1
            case .untilClose: false
            }
        return gather([
            ("a length and a coding", !lengths.isEmpty && !codings.isEmpty),
            ("a coding in 1.0", !codings.isEmpty && head.version == .http10),
            ("another coding", !codings.allSatisfy { $0.utf8.map { $0 | 0x20 } == chunked }),
            ("several lengths", numbers.count > 1 || numbers.contains(nil)),
            ("a framing that the fields do not tell", !fits),
        ])
    }

    private static func text(_ head: RequestHead) -> [String] {
        let hosts = head.fields.values(of: .host)
        return gather([
            (
                "several hosts or none",
                hosts.count != (head.version == .http11 ? 1 : hosts.count & 1)
            ),
            ("a bad host", !hosts.allSatisfy { Authority(Array($0.utf8)) != nil }),
            ("a bad method", !head.method.rawValue.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }),
            ("a bad target", !head.target.bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }),
            ("a bad name", !head.fields.all.allSatisfy { HTTPFieldName($0.name) != nil }),
            (
                "a control octet",
                head.fields.all.contains {
                    $0.value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
                }
            ),
        ])
    }

    private static let chunked = Array("chunked".utf8)

    private static func gather(_ doubts: [(what: String, isSo: Bool)]) -> [String] {
        doubts.filter(\.isSo).map(\.what)
    }

    private static func number(_ digits: Substring) -> Int? {
        let trimmed = digits.utf8.filter { $0 != 0x20 && $0 != 0x09 }
        guard !trimmed.isEmpty, trimmed.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(String(decoding: trimmed, as: UTF8.self))
    }
}
