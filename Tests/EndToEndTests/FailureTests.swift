import Glibc
import Sockets
import TestSupport
import Testing

/// A start that cannot be is one line on standard error, and a status of sysexits.h.
@Suite struct FailureTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("articles.db")
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let status: Int32
        let says: String

        init(_ arguments: String, _ status: Int32, _ says: String) {
            self.arguments = arguments.split(separator: " ").map(String.init)
            self.status = status
            self.says = says
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let refusals = [
        Refusal("", 64, "broadsheet help"),
        Refusal("frobnicate", 64, #""frobnicate" is no command"#),
        Refusal("serve --frob", 64, "--frob"),
        Refusal("serve surplus", 64, #""surplus""#),
        Refusal("serve --loops", 64, "--loops needs N"),
        Refusal("serve --loops 0", 64, "whole number from 1 to 256"),
        Refusal("serve --loops 2 --loops 3", 64, "twice"),
        Refusal("serve --listen 127.0.0.1", 64, "port"),
        Refusal("serve --listen 127.0.0.1:99999", 64, "port"),
        Refusal("serve --log loud", 64, "auto, text, json, off"),
        Refusal("serve --language x", 64, "BCP 47"),
        Refusal(
            "serve --admin-key 0123456789012345678901234567890123456789", 64, "BROADSHEET_ADMIN_KEY"
        ),
        Refusal("serve --admin-key-file /nowhere", 66, "/nowhere"),
        Refusal("serve --config /nowhere", 66, "/nowhere"),
        Refusal("serve --database /nowhere/at/all.db", 74, "/nowhere/at/all.db"),
        Refusal("key", 64, "key create"),
        Refusal("key create --role king", 64, "admin, editor or reader"),
        Refusal("key create --role admin --expires yesterday", 64, "RFC 3339"),
        Refusal("key list --database /nowhere/at/all.db", 66, "does not exist"),
        Refusal("check --database /nowhere/at/all.db", 66, "does not exist"),
        Refusal("help nothing", 64, #""nothing""#),
        Refusal("version 2", 64, #""2""#),
    ]

    @Test(arguments: refusals)
    func `a wrong command line is refused in one line`(refusal: Refusal) throws {
        let program = try Program.start(refusal.arguments)
        let errors = program.errors.rest()
        #expect(program.wait() == refusal.status)
        #expect(errors.count == 1)
        #expect(errors.first?.hasPrefix("broadsheet: ") == true)
        #expect(errors.first?.contains(refusal.says) == true, "\(errors)")
        #expect(program.output.rest() == [])
    }

    @Test func `a wrong variable is named, and is a matter of configuration`() throws {
        let ended = try Program.run("serve", environment: ["BROADSHEET_LOOPS": "many"])
        #expect(ended.status == 78)
        #expect(
            ended.errors == [
                #"broadsheet: BROADSHEET_LOOPS: "many" is not a whole number from 1 to 256"#
            ])
        let short = try Program.run("serve", environment: ["BROADSHEET_ADMIN_KEY": "short"])
        #expect(short.status == 78)
        #expect(!short.errors.joined().contains("short"), "the key is not repeated")
    }

    @Test func `a port in use is one line, and spends no admin key`() throws {
        let served = try Served(database)
        let other = folder.file("other.db")
        let ended = try Program.run(
            "serve", "--database", other, "--listen", "\(served.addresses[0])")
        #expect(ended.status == 69)
        #expect(ended.errors == ["broadsheet: \(served.addresses[0]) is in use"])
        #expect(access(other + ".admin-key", F_OK) != 0)
        #expect(try Program.run("key", "list", "--database", other).output == [])
        #expect(served.stop() == 0)
    }

    @Test func `a file that is being served has one owner`() throws {
        let served = try Served(database)
        let second = try Program.run("serve", "--listen", "127.0.0.1:0", "--database", database)
        #expect(second.status == 69)
        #expect(second.errors.count == 1 && second.errors[0].contains("is being served"))
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
    }

    @Test func `a file of another kind is not touched`() throws {
        let text = "A shopping list.\n"
        try write(text, to: database)
        let ended = try Program.run("serve", "--listen", "127.0.0.1:0", "--database", database)
        #expect(ended.status == 65)
        #expect(ended.errors == ["broadsheet: \(database) is not a broadsheet database"])
        #expect(try read(database) == text)
    }

    @Test func `output that nobody can take is an error`() throws {
        let ended = try Program.run("help")
        #expect(ended.status == 0)
        let shell = try RunningProgram(
            "/bin/sh", ["-c", "'\(Program.path())' help >/dev/full"])
        let errors = shell.errors.rest()
        #expect(shell.wait() == 74)
        #expect(errors == ["broadsheet: cannot write: No space left on device"])
    }
}
