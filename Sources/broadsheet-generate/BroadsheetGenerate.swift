import BroadsheetCommandLine
import Foundation

/// `broadsheet generate` without the server: it needs no C library, and builds wherever Swift does.
@main
struct BroadsheetGenerate {
    private static let name = "broadsheet-generate"

    static func main() async {
        let status = await run(Array(CommandLine.arguments.dropFirst()))
        exit(status.rawValue)
    }

    private static func run(_ arguments: [String]) async -> ExitStatus {
        let host = SystemHost()
        do throws(CommandFailure) {
            guard !CommandLineArguments.askForHelp(arguments) else {
                try host.write(help, to: nil)
                return .ok
            }
            // There is no option that names a file with options.
            let settings = try Settings(
                options: Generation.options, arguments: arguments,
                environment: ProcessInfo.processInfo.environment
            ) { _ in [] }
            try await Generation(settings).run(host)
            return .ok
        } catch {
            host.report("\(name): \(error.message)")
            return error.status
        }
    }

    private static var help: String {
        HelpPage.text(
            Generation.summary, usage: "\(name) \(Generation.usage)",
            example: "\(name) swift Forecast monday.json tuesday.json",
            options: Generation.options)
    }
}
