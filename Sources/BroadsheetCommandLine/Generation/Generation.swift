import BroadsheetSwiftGenerator

/// A run of the generator: what a command line asks for.
package struct Generation: Sendable {
    package static let summary =
        "Generates Swift models from JSON samples, and requests from OpenAPI."
    package static let usage =
        "swift NAME (FILE | URL | -)… [options] | requests (FILE | URL | -) [options]"
    package static let options = [
        Option("output", "FILE", "Write to this file atomically instead of to standard output."),
        Option("codable", nil, "swift: use Foundation's Codable instead of ArticleAPI's mappers."),
        Option("internal", nil, "Declare types without public."),
        Option("offline", nil, "requests: let a store on the device keep models and responses."),
        Option(
            "skip-unsupported", nil,
            "requests: omit operations that cannot be expressed, and list them."),
    ]

    private enum Subject: Sendable {
        case models(name: String)
        case requests
    }

    private let subject: Subject
    private let input: GenerationInput
    private let options: SwiftGenerator.Options
    private let output: String?

    /// - Parameters:
    ///   - settings: those of `options`.
    ///   - command: what precedes `usage` in messages about it, with a space at its end.
    package init(_ settings: Settings, command: String = "") throws(CommandFailure) {
        let words = settings.operands
        switch (words.first, words.count) {
        case ("swift", 3...):
            subject = .models(name: words[1])
            input = try GenerationInput(Array(words[2...]))
        case ("requests", 2):
            subject = .requests
            input = try GenerationInput([words[1]])
        default: throw CommandFailure(.usage, "\(command)\(Self.usage); see --help")
        }
        var options = SwiftGenerator.Options()
        options.isCodable = try settings.isOn("codable")
        options.isInternal = try settings.isOn("internal")
        options.skipsUnsupported = try settings.isOn("skip-unsupported")
        options.isOffline = try settings.isOn("offline")
        if case .models = subject, options.isOffline {
            throw CommandFailure(.usage, "--offline is only for \(command)requests")
        }
        if case .requests = subject, options.isCodable {
            throw CommandFailure(.usage, "--codable is only for \(command)swift")
        }
        self.options = options
        output = settings.text("output")
    }

    /// Reads the texts, generates, and writes the result.
    package func run(_ host: some GenerationHost) async throws(CommandFailure) {
        let sources = try await input.read(host)
        let text: String
        do throws(GenerationError) {
            text = try generated(from: sources, host)
        } catch { throw Self.failure(error, host) }
        try host.write(text, to: output)
    }

    private func generated(
        from sources: [SwiftGenerator.Source], _ host: some GenerationHost
    ) throws(GenerationError) -> String {
        switch subject {
        case .models(let name):
            return try SwiftGenerator.models(named: name, samples: sources, options: options)
        case .requests:
            let result = try SwiftGenerator.requests(from: sources[0], options: options)
            for line in result.leftOut { host.report("left out: \(line)") }
            for line in result.notes { host.report("note: \(line)") }
            return result.text
        }
    }

    /// Findings are listed, one on each line, before the failure.
    private static func failure(
        _ error: GenerationError, _ host: some GenerationHost
    ) -> CommandFailure {
        guard case .unsupported(let findings) = error else {
            return CommandFailure(.dataError, "\(error)")
        }
        for finding in findings { host.report("\(finding)") }
        let count = findings.count == 1 ? "1 construct" : "\(findings.count) constructs"
        return CommandFailure(
            .dataError,
            "\(count) cannot be expressed; --skip-unsupported omits their operations")
    }
}
