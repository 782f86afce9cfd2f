import BroadsheetPlatform
import BroadsheetSwiftGenerator
import Glibc

/// Writes Swift source that is made from samples of JSON or from the description of an API.
struct GenerateCommand: Command {
    static let name = "generate"
    static let summary = "Generates Swift models from JSON samples, and requests from OpenAPI."
    static let usage =
        "swift NAME (FILE | URL | -)… [options] | requests (FILE | URL | -) [options]"
    static let example = "broadsheet generate swift Forecast monday.json tuesday.json"
    static let options = [
        Option("output", "FILE", "Write to this file atomically instead of to standard output."),
        Option("codable", nil, "swift: use Foundation's Codable instead of ArticleAPI's mappers."),
        Option("internal", nil, "Declare types without public."),
        Option(
            "skip-unsupported", nil,
            "requests: omit operations that cannot be expressed, and list them."),
        Session.authoritiesOption, CommonOptions.config,
    ]

    enum Subject: Sendable {
        case models(name: String)
        case requests
    }

    let subject: Subject
    let texts: GenerationInput
    let generation: SwiftGenerator.Options
    let output: String?

    init(_ settings: Settings) throws(CommandFailure) {
        let words = settings.operands
        switch (words.first, words.count) {
        case ("swift", 3...):
            subject = .models(name: words[1])
            texts = try GenerationInput(Array(words[2...]), settings)
        case ("requests", 2):
            subject = .requests
            texts = try GenerationInput([words[1]], settings)
        default: throw CommandFailure(.usage, "generate \(Self.usage); see --help")
        }
        var generation = SwiftGenerator.Options()
        generation.isCodable = try settings.isOn("codable")
        generation.isInternal = try settings.isOn("internal")
        generation.skipsUnsupported = try settings.isOn("skip-unsupported")
        if case .requests = subject, generation.isCodable {
            throw CommandFailure(.usage, "--codable is only for generate swift")
        }
        self.generation = generation
        output = settings.text("output")
    }

    func run() async throws(CommandFailure) {
        let sources = try await texts.read()
        let text: String
        do throws(GenerationError) {
            text = try generated(from: sources)
        } catch { throw Self.failure(error) }
        guard let output else {
            return try Console.write(Array(text.utf8), to: STDOUT_FILENO)
        }
        let file = try NewFile(output)
        try Console.write(Array(text.utf8), to: file.descriptor)
        try file.keep()
    }

    private func generated(
        from sources: [SwiftGenerator.Source]
    ) throws(GenerationError) -> String {
        switch subject {
        case .models(let name):
            return try SwiftGenerator.models(named: name, samples: sources, options: generation)
        case .requests:
            let result = try SwiftGenerator.requests(from: sources[0], options: generation)
            for line in result.leftOut { Console.printStatus("left out: \(line)\n") }
            for line in result.notes { Console.printStatus("note: \(line)\n") }
            return result.text
        }
    }

    /// Findings are listed, one on each line, before the failure.
    private static func failure(_ error: GenerationError) -> CommandFailure {
        guard case .unsupported(let findings) = error else {
            return CommandFailure(.dataError, "\(error)")
        }
        for finding in findings { Console.printStatus("\(finding)\n") }
        let count = findings.count.counted("construct")
        return CommandFailure(
            .dataError,
            "\(count) cannot be expressed; --skip-unsupported omits their operations")
    }
}
