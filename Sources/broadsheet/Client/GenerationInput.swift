import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetSwiftGenerator
import Glibc

/// The texts from which code is generated: files, standard input, or URLs.
struct GenerationInput: Sendable {
    /// The maximum length of all texts together.
    private static let limitBytes = 16 << 20
    private static let limitMilliseconds: Int64 = 30_000

    private enum Place: Sendable {
        case file(String)
        case input
        case web(HTTPOrigin, RequestTarget)
    }

    private let places: [Place]
    private let client: HTTPClientConfiguration

    /// - Parameters:
    ///   - operands: paths, URLs, or `-`.
    ///   - settings: may name certificate authorities.
    init(_ operands: [String], _ settings: Settings) throws(CommandFailure) {
        var places: [Place] = []
        for operand in operands { places.append(try Self.place(operand)) }
        self.places = places
        client = try Session.clientConfiguration(settings)
    }

    private static func place(_ operand: String) throws(CommandFailure) -> Place {
        if operand == "-" { return .input }
        guard let mark = operand.firstRange(of: "://") else { return .file(operand) }
        let rest = operand[mark.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let path = String(rest[end...].prefix { $0 != "#" })
        guard let origin = HTTPOrigin(String(operand[..<end])),
            let target = RequestTarget(Array((path.hasPrefix("/") ? path : "/" + path).utf8))
        else { throw CommandFailure(.usage, "\"\(operand)\" is not an http or https URL") }
        return .web(origin, target)
    }

    func read() async throws(CommandFailure) -> [SwiftGenerator.Source] {
        var sources: [SwiftGenerator.Source] = []
        var left = Self.limitBytes
        for place in places {
            let source = try await read(place, limitBytes: left)
            left -= source.bytes.count
            sources.append(source)
        }
        return sources
    }

    private func read(
        _ place: Place, limitBytes: Int
    ) async throws(CommandFailure) -> SwiftGenerator.Source {
        switch place {
        case .file(let path):
            let bytes = try Files.read(path, limitBytes: limitBytes)
            return .init(name: FileSystem.name(of: path), bytes: bytes)
        case .input:
            let bytes = try Console.readInput(limitBytes: limitBytes)
            return .init(name: "standard input", bytes: bytes)
        case .web(let origin, let target):
            let bytes = try await fetch(target, from: origin, limitBytes: limitBytes)
            return .init(name: "\(origin)\(target)", bytes: bytes)
        }
    }

    /// The body of a successful response. Redirects are reported, and not followed.
    private func fetch(
        _ target: RequestTarget, from origin: HTTPOrigin, limitBytes: Int
    ) async throws(CommandFailure) -> [UInt8] {
        let url = "\(origin)\(target)"
        var options = ExchangeOptions()
        options.bodyBytes = limitBytes
        options.deadlineMilliseconds = Self.limitMilliseconds
        let request = HTTPRequest(
            .get, target, fields: [.accept: "application/json", .userAgent: "broadsheet"])
        let response: HTTPResponse
        do {
            let client = try HTTPClient(client)
            defer { client.stop() }
            response = try await client.send(request, to: origin, options: options)
        } catch { throw CommandFailure(.unavailable, "\(url): \(error)") }
        guard response.status == .ok, case .bytes(let bytes) = response.body else {
            let next = response.fields[.location].map { "; it redirects to \($0)" } ?? ""
            throw CommandFailure(
                .unavailable, "\(url): the status is \(response.status.code)\(next)")
        }
        return bytes
    }
}
