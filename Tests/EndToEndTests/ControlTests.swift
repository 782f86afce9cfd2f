import Glibc
import HTTP
import Network
import TestSupport
import Testing

/// The socket through which commands reach the owner of a served file.
@Suite struct ControlTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    @Test func `it is there for its owner alone, while the file is served`() throws {
        let served = try Served(database)
        let socket = database + ".control"
        var status = stat()
        #expect(lstat(socket, &status) == 0)
        #expect(status.st_mode == S_IFSOCK | 0o600)
        let client = TestClient(.unix(socket))
        #expect(try client.get("/control/state").text == #"{"sequence":0,"articles":0}"#)
        #expect(try served.client.get("/control/state").status == 404)
        #expect(served.stop() == 0)
        #expect(lstat(socket, &status) != 0)
    }

    @Test func `a path that is too long for a socket is no reason not to serve`() throws {
        let long = folder.file(String(repeating: "x", count: 100))
        let served = try Served(long)
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
        #expect(served.program.errors.rest().contains { $0.contains("no control socket") })
    }
}
