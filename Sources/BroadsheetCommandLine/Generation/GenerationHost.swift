package import BroadsheetHTTP

/// The files, streams and network of a program that generates code.
package protocol GenerationHost: Sendable {
    /// The bytes of a file of at most this length.
    func read(_ path: String, limitBytes: Int) throws(CommandFailure) -> [UInt8]

    /// All bytes of standard input, of at most this length.
    func readInput(limitBytes: Int) throws(CommandFailure) -> [UInt8]

    /// Sends a GET request without following redirects.
    func fetch(
        _ target: RequestTarget, from origin: HTTPOrigin, limits: FetchLimits
    ) async throws(CommandFailure) -> FetchedText

    /// Writes a file, as a whole or not at all, or to standard output if there is no path.
    func write(_ text: String, to path: String?) throws(CommandFailure)

    /// Writes a line to standard error; a failure to write is ignored.
    func report(_ line: String)
}

/// The limits of one fetch.
package struct FetchLimits: Sendable {
    package let bodyBytes: Int
    package let seconds: Int
}

/// A response of a server.
package struct FetchedText: Sendable {
    package let status: Int
    /// The field `Location`.
    package let location: String?
    package let body: [UInt8]

    package init(status: Int, location: String?, body: [UInt8]) {
        self.status = status
        self.location = location
        self.body = body
    }
}
