import ArticleAPI

/// Why a line of a file is not taken.
struct LineFault: Error, Sendable, Hashable {
    var reason: String

    init(reason: String) { self.reason = reason }

    /// The first fault of several, which is said to be one of them.
    init(_ error: InvalidValue) {
        let first = error.faults.first.map { "\($0.path) \($0.message)" } ?? "is not accepted"
        let others = error.faults.count - 1
        reason = others > 0 ? "\(first) (and \(others) more)" : first
    }
}

extension LineReader.Line {
    /// The JSON value on the line, with the bytes that it stands in.
    func json() throws(LineFault) -> (value: JSONValue, bytes: [UInt8]) {
        guard let bytes else {
            throw LineFault(reason: "is longer than \(LineReader.limitBytes) bytes")
        }
        do throws(JSONSyntaxError) { return (try JSONParser.parse(bytes), bytes) } catch {
            var error = error
            error.line = number
            throw LineFault(reason: error.message)
        }
    }
}
