import Testing

@testable import BroadsheetCommandLine

@Suite struct SettingsTests {
    static let options = [
        Option("listen", "ADDRESS", "where", repeatable: true),
        Option("max-connections", "N", "how many", default: "12000"),
        Option("samples", nil, "whether"),
        Option("config", "FILE", "a file"),
    ]

    /// Settings from a command line, an environment and the text of `a.json`.
    private func settings(
        _ line: String = "", _ environment: [String: String] = [:], file: String = "{}"
    ) throws(CommandFailure) -> Settings {
        try Settings(
            options: Self.options, ignoredKeys: ["loops"],
            arguments: line.split(separator: " ").map(String.init),
            environment: environment
        ) { (path) throws(CommandFailure) in
            guard path == "a.json" else { throw CommandFailure(.noInput, "no \(path)") }
            return Array(file.utf8)
        }
    }

    @Test func `an option has a variable and a key of the same name`() {
        let option = Self.options[1]
        #expect(option.variable == "BROADSHEET_MAX_CONNECTIONS")
        #expect(option.key == "maxConnections")
    }

    @Test
    func `flags override the environment, the configuration file and defaults, in this order`()
        throws
    {
        let environment = ["BROADSHEET_MAX_CONNECTIONS": "2", "BROADSHEET_CONFIG": "a.json"]
        let file = #"{"maxConnections": 3}"#
        func number(_ settings: Settings) throws -> Int {
            try settings.integer("max-connections", in: 1...10, default: 4)
        }
        #expect(try number(settings("--max-connections 1", environment, file: file)) == 1)
        #expect(try number(settings("", environment, file: file)) == 2)
        #expect(try number(settings("--config a.json", file: file)) == 3)
        #expect(try number(settings()) == 4)
    }

    @Test func `commands share one file, and each rejects unknown keys`() throws {
        let both = #"{"maxConnections": 3, "loops": [{}]}"#
        #expect(try settings("--config a.json", file: both).all("max-connections").count == 1)
        let wrong = try #require(throws: CommandFailure.self) {
            try settings("--config a.json", file: #"{"lops": 2}"#)
        }
        #expect(wrong.status == .configuration && wrong.message.contains("lops"))
    }

    @Test(arguments: [#"{"lops": 2}"#, "{", "[]", #"{"maxConnections": null}"#])
    func `an invalid file that is tolerated is reported and ignored`(file: String) throws {
        let thrown = #expect(throws: CommandFailure.self) {
            try settings("--config a.json", file: file)
        }
        let tolerated = try Settings(
            options: Self.options, toleratesInvalidFile: true,
            arguments: ["--config", "a.json", "--listen", "b"], environment: [:]
        ) { (_) throws(CommandFailure) in Array(file.utf8) }
        #expect(tolerated.fileFailure?.message == thrown?.message)
        #expect(tolerated.text("listen") == "b" && tolerated.text("max-connections") == nil)
    }

    @Test(arguments: [
        ("--listen a --listen b", [:], "{}"), ("--listen=a --listen=b", [:], "{}"),
        ("", ["BROADSHEET_LISTEN": "a,b"], "{}"),
        ("--config a.json", [:], #"{"listen": ["a", "b"]}"#),
    ])
    func `a repeatable option accepts several values`(
        line: String, environment: [String: String], file: String
    ) throws {
        #expect(
            try settings(line, environment, file: file).all("listen").map(\.text) == ["a", "b"])
    }

    @Test(arguments: [
        ("--samples", [:], true), ("--samples=off", [:], false), ("", [:], false),
        ("", ["BROADSHEET_SAMPLES": "yes"], true), ("", ["BROADSHEET_SAMPLES": "0"], false),
    ])
    func `a switch is on or off`(line: String, environment: [String: String], isOn: Bool) throws {
        #expect(try settings(line, environment).isOn("samples") == isOn)
    }

    @Test func `operands may follow options, and after two dashes may begin with a dash`() throws {
        #expect(
            try settings("one --samples two - -- --three").operands == [
                "one", "two", "-", "--three",
            ])
    }

    struct Rejection: Sendable {
        var line = ""
        var environment: [String: String] = [:]
        var file = "{}"
        let status: BroadsheetCommandLine.ExitStatus
        let message: String
    }

    static let rejections = [
        Rejection(line: "--frob", status: .usage, message: "unknown option --frob; see --help"),
        Rejection(line: "--listen", status: .usage, message: "--listen needs ADDRESS"),
        Rejection(
            line: "--max-connections many", status: .usage,
            message: #"--max-connections: "many" is not a whole number from 1 to 10"#),
        Rejection(
            environment: ["BROADSHEET_MAX_CONNECTIONS": "11"], status: .configuration,
            message: #"BROADSHEET_MAX_CONNECTIONS: "11" is not a whole number from 1 to 10"#),
        Rejection(
            line: "--config a.json", file: #"{"maxConnections": 1.5}"#, status: .configuration,
            message: #"maxConnections in a.json: "1.5" is not a whole number from 1 to 10"#),
        Rejection(
            line: "--config a.json", file: #"{"max": 1}"#, status: .configuration,
            message: #"a.json: unknown option "max""#),
        Rejection(
            line: "--config a.json", file: "[]", status: .configuration,
            message: "a.json: not a JSON object"),
        Rejection(
            line: "--config a.json", file: #"{"maxConnections": {}}"#, status: .configuration,
            message: "maxConnections in a.json: not a string, a number, true or false"),
        Rejection(line: "--config b.json", status: .noInput, message: "no b.json"),
    ]

    @Test(arguments: rejections)
    func `an error names the value and its origin`(rejection: Rejection) {
        let failure = #expect(throws: CommandFailure.self) {
            try settings(rejection.line, rejection.environment, file: rejection.file)
                .integer("max-connections", in: 1...10, default: 1)
        }
        #expect(failure?.message == rejection.message)
        #expect(failure?.status == rejection.status)
    }

    @Test func `a file that is not JSON is rejected with its line`() {
        let failure = #expect(throws: CommandFailure.self) {
            try settings("--config a.json", file: "{\n  \"listen\": nowhere\n}")
        }
        #expect(failure?.message.hasPrefix("a.json:2: ") == true)
    }
}
