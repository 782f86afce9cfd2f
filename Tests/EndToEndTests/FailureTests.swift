import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// A failed start prints one line on standard error, and exits with a status of sysexits.h.
@Suite(.mayBlock) struct FailureTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("articles.db")
    }

    struct Rejection: Sendable, CustomTestStringConvertible {
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

    static let rejections = [
        Rejection("", 64, "broadsheet help"),
        Rejection("frobnicate", 64, #"unknown command "frobnicate""#),
        Rejection("serve --frob", 64, "--frob"),
        Rejection("serve surplus", 64, #""surplus""#),
        Rejection("serve --loops", 64, "--loops needs N"),
        Rejection("serve --loops 0", 64, "whole number from 1 to 256"),
        Rejection("serve --loops 2 --loops 3", 64, "more than once"),
        Rejection("serve --listen 127.0.0.1", 64, "port"),
        Rejection("serve --listen 127.0.0.1:99999", 64, "port"),
        Rejection("serve --log loud", 64, "auto, text, json, off"),
        Rejection("serve --language x", 64, "BCP 47"),
        Rejection(
            "serve --admin-key 0123456789012345678901234567890123456789", 64, "BROADSHEET_ADMIN_KEY"
        ),
        Rejection("serve --admin-key-file /nowhere", 66, "/nowhere"),
        Rejection("serve --config /nowhere", 66, "/nowhere"),
        Rejection("serve --database /nowhere/at/all.db", 74, "/nowhere/at/all.db"),
        Rejection("serve --database :memory:", 64, "in memory"),
        Rejection("key list --database file:a.db?mode=memory", 64, "not the path of a file"),
        Rejection("check --database mysql://localhost/a", 64, "postgresql://"),
        Rejection("migrate --from a.db --to :memory:", 64, "in memory"),
        Rejection("key", 64, "key create"),
        Rejection("key create --role king", 64, "admin, editor, author or reader"),
        Rejection("key create --role admin --expires yesterday", 64, "RFC 3339"),
        Rejection("key list --database /nowhere/at/all.db", 66, "does not exist"),
        Rejection("check --database /nowhere/at/all.db", 66, "does not exist"),
        Rejection("help nothing", 64, #""nothing""#),
        Rejection("version 2", 64, #""2""#),
    ]

    @Test(arguments: rejections)
    func `an invalid command line is rejected with one line`(rejection: Rejection) throws {
        let program = try Program.start(rejection.arguments)
        let errors = program.errors.rest()
        #expect(program.wait() == rejection.status)
        #expect(errors.count == 1)
        #expect(errors.first?.hasPrefix("broadsheet: ") == true)
        #expect(errors.first?.contains(rejection.says) == true, "\(errors)")
        #expect(program.output.rest() == [])
    }

    @Test func `an invalid variable is named as a configuration error`() throws {
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

    @Test func `a port in use fails with one line, and creates no admin key`() throws {
        let served = try RunningServer(database)
        let other = folder.file("other.db")
        let ended = try Program.run(
            "serve", "--database", other, "--listen", "\(served.addresses[0])")
        #expect(ended.status == 69)
        #expect(ended.errors == ["broadsheet: \(served.addresses[0]) is in use"])
        #expect(access(other + ".admin-key", F_OK) != 0)
        #expect(try Program.run("key", "list", "--database", other).output == [])
        #expect(served.stop() == 0)
    }

    @Test func `a database has one server at a time`() throws {
        let served = try RunningServer(database)
        let second = try Program.run("serve", "--listen", "127.0.0.1:0", "--database", database)
        #expect(second.status == 69)
        #expect(second.errors.count == 1 && second.errors[0].contains("is being served"))
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
    }

    @Test func `a file that is not a database is left alone`() throws {
        let text = "A shopping list.\n"
        try write(text, to: database)
        let ended = try Program.run("serve", "--listen", "127.0.0.1:0", "--database", database)
        #expect(ended.status == 65)
        #expect(ended.errors == ["broadsheet: \(database) is not a broadsheet database"])
        #expect(try read(database) == text)
    }

    @Test func `output that cannot be written is an error`() throws {
        let ended = try Program.run("help")
        #expect(ended.status == 0)
        let shell = try RunningProgram(
            "/bin/sh", ["-c", "'\(Program.path())' help >/dev/full"])
        let errors = shell.errors.rest()
        #expect(shell.wait() == 74)
        #expect(errors == ["broadsheet: cannot write: No space left on device"])
    }
}
