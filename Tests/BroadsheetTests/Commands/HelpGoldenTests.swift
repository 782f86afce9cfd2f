import Testing

@testable import broadsheet

/// The help texts as users see them. `Golden` has a file for the overview and for each command.
@Suite struct HelpGoldenTests {
    private static let overview = "help.txt"
    static let commands = Broadsheet.commands.map { $0.name }

    private static func file(_ command: String) -> String { "help-\(command).txt" }

    @Test func `the overview matches its golden file`() throws {
        try GoldenFiles.check(HelpCommand.overview + "\n", Self.overview)
    }

    @Test(arguments: commands)
    func `the help of a command matches its golden file`(name: String) throws {
        let command = try #require(Broadsheet.commands.first { $0.name == name })
        try GoldenFiles.check(command.help, Self.file(name))
    }

    @Test func `each golden file belongs to a command`() throws {
        let expected = Set(Self.commands.map(Self.file) + [Self.overview])
        #expect(try GoldenFiles.names == expected)
    }
}
