import Foundation
import Testing

@testable import broadsheet

/// README speaks of what there is.
@Suite struct ReadmeTests {
    /// The text of README.md.
    private func readme() throws -> String {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    @Test func `every flag of broadsheet that it names is one`() throws {
        let flags = Set(Broadsheet.commands.flatMap { $0.options.map { "--\($0.name)" } })
        // Help is no option, and some are docker's or curl's.
        let foreign: Set = [
            "--help", "--cacert", "--publish", "--volume", "--tag", "--detach", "--env", "--force",
            "--header",
        ]
        for match in try readme().matches(of: /--[a-z][a-z-]*/) {
            let flag = String(match.output)
            #expect(flags.contains(flag) || foreign.contains(flag), "\(flag) is no flag")
        }
    }

    @Test func `every command that it names is one`() throws {
        let names = Set(Broadsheet.commands.map { $0.name })
        for match in try readme().matches(of: /broadsheet ([a-z]+)/) {
            let name = String(match.output.1)
            #expect(names.contains(name), "broadsheet \(name)")
        }
    }

    @Test func `the defaults in its table of flags are those of the help`() throws {
        for match in try readme().matches(of: /\| `--([a-z-]+) [A-Z\/]+` \| `?([^`|]+?)`? \|/) {
            let option = ServeCommand.options.first { $0.name == match.output.1 }
            #expect(option?.standard == String(match.output.2), "\(match.output.1)")
        }
    }
}
