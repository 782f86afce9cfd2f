import BroadsheetCommandLine
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// Writes Swift source that is made from samples of JSON or from the description of an API.
/// `broadsheet-generate` does the same without the server.
struct GenerateCommand: Command {
    static let name = "generate"
    static let summary = Generation.summary
    static let usage = Generation.usage
    static let example = "broadsheet generate swift Forecast monday.json tuesday.json"
    static let options = Generation.options + [Session.authoritiesOption, CommonOptions.config]

    let generation: Generation
    let client: HTTPClientConfiguration

    init(_ settings: Settings) throws(CommandFailure) {
        generation = try Generation(settings, command: "\(Self.name) ")
        client = try Session.clientConfiguration(settings)
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        try await generation.run(Host(client: client))
    }

    private struct Host: GenerationHost {
        let client: HTTPClientConfiguration

        func read(_ path: String, limitBytes: Int) throws(CommandFailure) -> [UInt8] {
            try Files.read(path, limitBytes: limitBytes)
        }

        func readInput(limitBytes: Int) throws(CommandFailure) -> [UInt8] {
            try Console.readInput(limitBytes: limitBytes)
        }

        func fetch(
            _ target: RequestTarget, from origin: HTTPOrigin, limits: FetchLimits
        ) async throws(CommandFailure) -> FetchedText {
            var options = ExchangeOptions()
            options.bodyBytes = limits.bodyBytes
            options.deadlineMilliseconds = Int64(limits.seconds) * 1_000
            let request = HTTPRequest(
                .get, target, fields: [.accept: "application/json", .userAgent: "broadsheet"])
            let response: HTTPResponse
            do {
                let client = try HTTPClient(client)
                defer { client.stop() }
                response = try await client.send(request, to: origin, options: options)
            } catch { throw CommandFailure(.unavailable, "\(origin)\(target): \(error)") }
            var body: [UInt8] = []
            if case .bytes(let bytes) = response.body { body = bytes }
            return FetchedText(
                status: response.status.code, location: response.fields[.location], body: body)
        }

        func write(_ text: String, to path: String?) throws(CommandFailure) {
            let bytes = Array(text.utf8)
            guard let path else { return try Console.write(bytes, to: STDOUT_FILENO) }
            let file = try NewFile(path)
            try Console.write(bytes, to: file.descriptor)
            try file.keep()
        }

        func report(_ line: String) { Console.printStatus("\(line)\n") }
    }
}
