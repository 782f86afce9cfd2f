public import ArticleAPI
import BroadsheetHTTP

/// The law of every declared request: it survives printing and parsing, whatever its parts are.
public enum RequestLaw {
    private static let trials = Thoroughness.isFull ? 300 : 150

    /// Returns the violations of the law by generated requests of a type; empty if it holds.
    public static func violations<Request: BackendAPIRequest>(
        of type: Request.Type, seed: UInt64
    ) -> [String] {
        var generator = RequestGenerator(seed: seed)
        for _ in 0..<trials {
            let arrived = generator.request(type)
            do {
                let request = try parsed(arrived, as: type)
                let printed = RequestPrinter.print(request)
                let again = try parsed(printed, as: type)
                guard printed.method == Request.endpoint.method, again == request,
                    RequestPrinter.print(again) == printed
                else { return ["\(text(arrived)) is printed as \(text(printed))"] }
            } catch { return ["\(text(arrived)): \(error)"] }
        }
        return untried(type, generator)
    }

    private static func parsed<Request: BackendAPIRequest>(
        _ request: HTTPRequest, as type: Request.Type
    ) throws -> Request {
        guard let source = RequestSource(request, for: Request.endpoint) else {
            throw TestFailure("the path does not match")
        }
        return try Request(parsing: source)
    }

    private static func text(_ request: HTTPRequest) -> String {
        "\(request.method) \(request.target) \(String(decoding: request.body, as: UTF8.self))"
    }

    /// Optional parts that were never present or never absent, and required ones that were absent.
    private static func untried<Request: BackendAPIRequest>(
        _ type: Request.Type, _ generator: RequestGenerator
    ) -> [String] {
        var parts = Request.parameters.list.filter { $0.place != .path }.map {
            (name: "?\($0.name)", isRequired: $0.isRequired)
        }
        if case .object(let properties)? = Request.parameters.body?.schema?.unnamed {
            parts += properties.map { ("/\($0.name)", $0.isRequired) }
        }
        return parts.compactMap { part in
            let isTried =
                generator.present.contains(part.name)
                && generator.absent.contains(part.name) != part.isRequired
            return isTried ? nil : "\(part.name) was not generated as it may arrive"
        }
    }
}
