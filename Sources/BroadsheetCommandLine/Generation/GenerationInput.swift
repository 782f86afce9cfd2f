import BroadsheetHTTP
import BroadsheetSwiftGenerator

/// The texts from which code is generated: files, standard input, or URLs.
struct GenerationInput: Sendable {
    /// The maximum length of all texts together.
    private static let limitBytes = 16 << 20
    private static let limitSeconds = 30

    private enum Place: Sendable {
        case file(String)
        case input
        case web(HTTPOrigin, RequestTarget)
    }

    private let places: [Place]

    /// - Parameter operands: paths, URLs, or `-`.
    init(_ operands: [String]) throws(CommandFailure) {
        var places: [Place] = []
        for operand in operands { places.append(try Self.place(operand)) }
        self.places = places
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

    func read(_ host: some GenerationHost) async throws(CommandFailure) -> [SwiftGenerator.Source] {
        var sources: [SwiftGenerator.Source] = []
        var left = Self.limitBytes
        for place in places {
            let source = try await read(place, host, limitBytes: left)
            left -= source.bytes.count
            sources.append(source)
        }
        return sources
    }

    private func read(
        _ place: Place, _ host: some GenerationHost, limitBytes: Int
    ) async throws(CommandFailure) -> SwiftGenerator.Source {
        switch place {
        case .file(let path):
            let bytes = try host.read(path, limitBytes: limitBytes)
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return .init(name: name, bytes: bytes)
        case .input:
            let bytes = try host.readInput(limitBytes: limitBytes)
            return .init(name: "standard input", bytes: bytes)
        case .web(let origin, let target):
            let limits = FetchLimits(bodyBytes: limitBytes, seconds: Self.limitSeconds)
            let response = try await host.fetch(target, from: origin, limits: limits)
            let url = "\(origin)\(target)"
            guard response.status == HTTPStatus.ok.code else {
                let next = response.location.map { "; it redirects to \($0)" } ?? ""
                throw CommandFailure(
                    .unavailable, "\(url): the status is \(response.status)\(next)")
            }
            return .init(name: url, bytes: response.body)
        }
    }
}
