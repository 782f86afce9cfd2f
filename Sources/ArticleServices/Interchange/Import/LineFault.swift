import ArticleAPI

/// Why a line of a file is rejected.
struct LineFault: Error, Sendable, Hashable {
    var reason: String

    init(reason: String) { self.reason = reason }

    /// The first of several faults, with the number of the others.
    init(_ error: InvalidValue) {
        let first = error.faults.first.map { "\($0.path) \($0.message)" } ?? "is not accepted"
        let others = error.faults.count - 1
        reason = others > 0 ? "\(first) (and \(others) more)" : first
    }
}

extension LineReader.Line {
    /// The JSON value on the line and its bytes.
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
