import Testing

/// Each rule is broken on purpose: a rule that cannot fail proves nothing.
@Suite struct RuleTests {
    private func faults(_ lines: String..., path: String = "Sources/BroadsheetHTTP/A.swift")
        -> [String]
    {
        let file = SourceFile(path, lines.joined(separator: "\n") + "\n")
        let text = SwiftText(file)
        let found =
            StyleRules.text(file) + StyleRules.code(file, text) + Ladder.violations(file, text)
        return found.map { "\($0.line): \($0.fault)" }
    }

    @Test(arguments: [
        ("import Foundation", "BroadsheetHTTP must not import Foundation"),
        ("public import BroadsheetSockets", "BroadsheetHTTP must not import BroadsheetSockets"),
        (
            "@testable import struct BroadsheetSockets.A",
            "BroadsheetHTTP must not import BroadsheetSockets"
        ),
        ("@preconcurrency import Glibc", "BroadsheetHTTP must not import Glibc"),
        ("@_spi(A) package import Dispatch  ", "BroadsheetHTTP must not import Dispatch"),
    ])
    func `an import from a higher rung is found`(line: String, fault: String) {
        #expect(faults(line).contains("1: \(fault)"))
    }

    @Test func `server targets must not import Foundation, nor any target FoundationNetworking`() {
        for target in Ladder.rungs.keys
        where !["BroadsheetURLSession", "broadsheet-generate"].contains(target) {
            let path = "Sources/\(target)/A.swift"
            #expect(!faults("import FoundationNetworking", path: path).isEmpty)
            #expect(!faults("import Foundation", path: path).isEmpty)
        }
        let essentials = "#if canImport(FoundationEssentials)\nimport FoundationEssentials\n"
        let contract = "Sources/ArticleAPI/A.swift"
        #expect(faults(essentials + "#else\nimport Foundation\n#endif", path: contract) == [])
        #expect(faults(essentials + "#endif\nimport Foundation", path: contract) != [])
    }

    @Test func `a target missing from the ladder is found`() {
        let found = faults("let a = 1", path: "Sources/Helpers/A.swift")
        #expect(found == ["1: Helpers is not on the ladder"])
    }

    @Test(arguments: [
        "Task { }", "Task{}", "_ = Task(priority: .high) { }", "Task.detached { }",
        "Task<Int, Never> { 1 }", "Task(executorPreference: loop) { }", "Task . immediate { }",
        "let text = \"\\(Task { 1 })\"",
    ])
    func `a stray task is found`(line: String) {
        let places = StyleRules.taskFiles.joined(separator: " and ")
        #expect(faults(line) == ["1: tasks are only created in \(places)"])
        for path in StyleRules.taskFiles { #expect(faults(line, path: path) == []) }
    }

    @Test(arguments: [
        "let start = ContinuousClock.now", "try await Task.sleep(for: .seconds(1))",
        "let pause = Int.random(in: 0..<9)", "SystemClock.monotonicNanoseconds",
        "usleep(100)", "let store = try open(system: .real)", "let time = Timestamp.now",
        "queue.asyncAfter(deadline: .now() + 1) { }",
    ])
    func `a clock that is not injected is found`(line: String) {
        let path = "Sources/ArticleServiceCore/A.swift"
        #expect(faults(line, path: path) == ["1: the time and random numbers are injected"])
        for path in ClockRules.exceptions.keys { #expect(faults(line, path: path) == []) }
        #expect(faults(line, path: "Sources/BroadsheetPlatform/A.swift") == [])
        let seeded = "let pause = Int.random(in: 0..<9, using: &generator)"
        #expect(faults(seeded, path: path) == [])
    }

    @Test(arguments: [
        "if Task.isCancelled { }", "await Task.yield()", "// Task { }", "/* Task { } */",
        "let a = \"Task { }\"", "func run(_ task: Task<Int, Never>)", "myTask(1)",
        "func `Task {`()",
    ])
    func `code that creates no task is accepted`(line: String) {
        #expect(faults(line) == [])
    }

    @Test func `an unchecked conformance needs a reason`() {
        let fault = "a comment with the reason is missing"
        #expect(faults("final class A: @unchecked Sendable {}") == ["1: \(fault)"])
        #expect(faults("", "nonisolated(unsafe) var a = 1") == ["2: \(fault)"])
        #expect(faults("// why", "", "nonisolated(unsafe) var a = 1") == ["3: \(fault)"])
        #expect(faults("nonisolated(unsafe) var a = 1  // the loop only") == [])
        #expect(
            faults("/// The loop only.", "@usableFromInline", "nonisolated(unsafe) var a = 1") == []
        )
    }

    @Test func `a trap must be a programmer error and say so`() {
        #expect(faults("let a = try! b()") == ["1: an error that traps"])
        #expect(
            faults("fatalError(\"no\")") == ["1: a trap that is not marked as a programmer error"])
        #expect(
            faults("preconditionFailure()") == [
                "1: a trap that is not marked as a programmer error"
            ])
        #expect(faults("// A programmer error: the table is ours.", "fatalError(\"no\")") == [])
        #expect(faults("fatalError(\"programmer error: no route\")") == [])
    }

    @Test func `long lines, long files and long functions are found`() {
        #expect(faults("// " + String(repeating: "가", count: 98)) == ["1: more than 100 columns"])
        #expect(faults("// " + String(repeating: "가", count: 97)) == [])
        let lines = String(repeating: "// a\n", count: 399)
        #expect(faults(lines + "// b") == [])
        let shape = "the file has more than 400 lines, 0 types, and 0 of 0 members are private"
        #expect(faults(lines + "// b\n// c") == ["401: \(shape)"])
        let body = String(repeating: "    a(\"}\") // }\n", count: 68)
        #expect(faults("func f() {\n" + body + "}") == [])
        #expect(faults("func f() {\n" + body + "\n}") == ["1: a function of 71 lines"])
        #expect(faults("init(a: Int = b {\n}) {\n" + body + "}") == ["1: a function of 71 lines"])
        #expect(faults("var a: Int {\n" + body + "\n}") == ["1: a function of 71 lines"])
        #expect(faults("var a: Int\nstruct A {\n" + body + "\n}") == [])
        #expect(faults("enum A {\n" + body + "\n\n    func f() {\n    }\n}") == [])
    }

    @Test func `a longer file is one type, and a third of its members is private`() {
        func fault(_ declarations: String, comments: Int = 400) -> String? {
            let found = faults(declarations + String(repeating: "\n// a", count: comments))
            return found.first
        }
        let type = """
            @exclusivity(unchecked) public final class A {
                private let a = 1
                public private(set) var b = 1
                init(a: Int) { func within() {} }
            }
            """
        let hidden = "private extension A {\n    func c() {}\n    enum D { case e }\n}"
        #expect(fault(type) == nil)
        #expect(fault(type + "\n" + hidden + "\nfunc f() {}") == nil)
        #expect(fault(type, comments: 595) == nil)
        #expect(fault(type, comments: 596) == "601: the file has more than 600 lines")
        let begin = "401: the file has more than 400 lines, "
        #expect(
            fault(type + "\nprivate struct B {}")
                == begin + "2 types, and 2 of 3 members are private")
        #expect(
            fault(
                type
                    + "\nextension A {\(String(repeating: "\n    static func c() {}", count: 4))\n}"
            )
                == begin + "1 types, and 2 of 7 members are private")
        #expect(fault("extension A {\n}") == begin + "0 types, and 0 of 0 members are private")
    }

    @Test func `retired terms are found in names, not in strings and comments`() {
        #expect(faults("let lastAnswer = 1") == ["1: \"answer\" is a retired term: response"])
        #expect(faults("case refused") == ["1: \"refus\" is a retired term: reject"])
        #expect(faults("let a = \"an answer\" // refused") == [])
        #expect(faults("if errno == ECONNREFUSED {}") == [])
        #expect(
            faults("let mostBytes = 1") == [
                "1: \"mostBytes\" is a limit: limitBytes, limitCount, …"
            ])
        #expect(faults("let lastAnswer = 1", path: "Tests/BroadsheetHTTPTests/A.swift") == [])
    }

    @Test func `doc comments that begin with a clause are found`() {
        #expect(
            faults("/// Whether it is open.") == ["1: a doc comment that begins with \"Whether\""])
        #expect(faults("let a = 1\n    /// What it has.").map { $0.prefix(2) } == ["2:"])
        #expect(faults("/// True if it is open.\n/// Where it is not, it waits.") == [])
        #expect(faults("/// Whatever it has.\n// What it has.\nlet a = \"/// What\"") == [])
        #expect(faults("/// What it has.", path: "Tests/HTTPTests/A.swift") == [])
    }

    @Test func `trailing white space, promises and machine paths are found`() {
        #expect(faults("let a = 1 ") == ["1: trailing white space"])
        #expect(faults("let a = 1\t") == ["1: trailing white space"])
        #expect(faults("// FIX" + "ME: later") == ["1: FIX" + "ME promises what is not there"])
        #expect(faults("// TO" + "DO later") == ["1: TO" + "DO promises what is not there"])
        #expect(faults("let XX" + "XL = 1") == [])
        #expect(faults("let a = \"/ro" + "ot/a\"") == ["1: /ro" + "ot/ is a path of one machine"])
        let file = SourceFile("a.sql", "SELECT 1;")
        #expect(StyleRules.text(file).map(\.fault) == ["no line feed at the end"])
    }

    /// The cycles among the folders of a made-up target.
    private func cycles(_ files: [String: String], foreign: Set<String> = []) -> [String] {
        let parts = files.map { name, text in
            let file = SourceFile("Sources/BroadsheetHTTP/\(name)", text)
            return Part(file, SwiftText(file))
        }
        return FolderLayers("BroadsheetHTTP", parts, isForeign: foreign.contains).cycles
    }

    @Test func `folders that use each other in a circle are found, with the uses`() {
        let found = cycles([
            "Bottom/Low.swift": "public import Glibc\n\nstruct Low { var top: Middle.Kind }",
            "Middle/Inner/Middle.swift": "@available(macOS 26, *) public enum Middle {}\nlet a = b",
            "Middle/Low+Text.swift": "extension Low { func text(_ top: any Top) {} }",
            "Top.swift": "protocol Top: Sendable {}\nlet a = \"\\(Low.self)\"",
        ])
        #expect(
            found == [
                """
                BroadsheetHTTP: ., Bottom, Middle use each other in a circle
                  . → Bottom: Sources/BroadsheetHTTP/Top.swift uses Low
                  Bottom → Middle: Sources/BroadsheetHTTP/Bottom/Low.swift uses Middle
                  Middle → .: Sources/BroadsheetHTTP/Middle/Low+Text.swift uses Top
                  Middle → Bottom: Sources/BroadsheetHTTP/Middle/Low+Text.swift uses Low
                """
            ])
    }

    @Test func `members that folders use of each other are found, too`() {
        let found = cycles([
            "Low/Store.swift": """
            struct Store {
                private static var limit: Int { count(of: top) }
                func read() -> Int { self.first + .second.rawValue + SQL.all.count }
            }
            """,
            "Top/Names.swift": """
            extension Store {
                func count(of name: String) -> Int { read() }
                var first: Int { 1 }
            }
            enum Number: Int {
                case first = 1,
                    second
            }
            """,
            "Top/SQL.swift": "extension SQL {\n    static let all: String = \"\"\n}",
        ])
        #expect(
            found == [
                """
                BroadsheetHTTP: Low, Top use each other in a circle
                  Low → Top: Sources/BroadsheetHTTP/Low/Store.swift uses all
                  Low → Top: Sources/BroadsheetHTTP/Low/Store.swift uses count
                  Low → Top: Sources/BroadsheetHTTP/Low/Store.swift uses first
                  Low → Top: Sources/BroadsheetHTTP/Low/Store.swift uses second
                  Top → Low: Sources/BroadsheetHTTP/Top/Names.swift uses Store
                  Top → Low: Sources/BroadsheetHTTP/Top/Names.swift uses read
                """
            ])
    }

    @Test func `names that may mean something else are no uses of members`() {
        let found = cycles(
            [
                "Low/Store.swift": """
                struct Store {
                    let both: Int
                    func read(own: () -> Int, _ names: [Int]) -> Int {
                        let local = { 1 }
                        return own() + local() + names.map { each in each(1) } + other.shared
                    }
                    func find() { other.both + other.hidden + first(where: 1) }
                }
                """,
                "Top/Names.swift": """
                extension Store {
                    func own() {}
                    func local() { func inner() {} }
                    func each(_ actor: Int) { switch actor { case actor: 1 } }
                    var shared: Int { 1 }
                    private var hidden: Int { 1 }
                    func first() {}
                }
                private extension Store {
                    var first: Int { 1 }
                }
                """,
                "Top/Others.swift":
                    "extension Int {\n    var both: Int { 1 }\n    var shared: Int { 1 }\n}",
            ], foreign: ["first"])
        #expect(found == [])
    }

    @Test func `folders in layers are accepted`() {
        let top = """
            // A comment may name Top.
            struct Low { let name = "Top"; struct Within {} }
            private struct Hidden {}
            #if os(Linux)
                final class Kept {}
            #else
                final class Kept {}
            #endif
            """
        let found = cycles([
            "Bottom/Low.swift": top,
            "Bottom/Other.swift": "struct Other { let low: Low }",
            "Middle/Middle.swift": "typealias Middle = Low\nstruct Hidden {}",
            "Top.swift": "actor Top { let middle: Middle, kept: Kept; enum Within {} }",
        ])
        #expect(found == [])
    }

    @Test func `literals, comments and names are not treated as code`() {
        let source = ##"""
            let a = "b { \(c("{ \(d)")) {" // e {
            /* { /* { */ { */ let f = #"\( { "#
            let g = """
                { " \(h) \"""
                """; `i {`()
            """##
        let text = SwiftText(SourceFile("a.swift", source))
        let expected = [
            #"leta=""c(""d)"#, #"letf="""#, #"letg="""#, "h", ";_()",
        ]
        #expect(text.code.map { $0.filter { !$0.isWhitespace } } == expected)
        #expect(text.comments[0] == " e {")
    }
}
