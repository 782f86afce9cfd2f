import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// A server whose output nobody reads: both streams are connected to a full pipe.
@Suite(.mayBlock) struct UnreadOutputTests {
    let folder: TemporaryFolder
    let database: String
    let address: SocketAddress

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
        address = .unix(folder.file("s"))
    }

    /// A named pipe that is full as long as this object exists.
    private final class FullPipe {
        private let descriptor: Int32

        init(_ path: String) throws {
            try #require(mkfifo(path, 0o600) == 0)
            descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            let filler = [UInt8](repeating: UInt8(ascii: "\n"), count: 4_096)
            while write(descriptor, filler, filler.count) > 0 {}
            try #require(errno == EAGAIN)
        }

        deinit { close(descriptor) }

        /// Reads until the text has arrived.
        func waits(for text: String) -> Bool {
            var seen: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while !String(decoding: seen, as: UTF8.self).contains(text) {
                var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&readable, 1, Patience.milliseconds) == 1 else { return false }
                let count = read(descriptor, &chunk, chunk.count)
                seen += chunk.prefix(max(0, count))
            }
            return true
        }
    }

    private func serve(_ pipe: String, _ options: String = "") async throws -> RunningProgram {
        let program = try Shell.start(
            """
            exec "$binary" serve --database "$folder/a.db" --listen "unix:$folder/s" \
            --loops 2 --log json \(options) >"$folder/\(pipe)" 2>&1
            """, folder: folder.path)
        try #require(await eventually { Self.isReady(address) })
        return program
    }

    private static func isReady(_ address: SocketAddress) -> Bool {
        (try? TestClient(address).get("/readyz").status) == 200
    }

    /// Overwrites every page of the file that contains the text.
    private func damagePages(with text: String) throws {
        let content = try bytes(of: database)
        let file = open(database, O_WRONLY)
        defer { close(file) }
        let zeros = [UInt8](repeating: 0, count: 4_096)
        var damaged = 0
        for page in stride(from: 0, to: content.count, by: zeros.count)
        where String(decoding: content[page..<(page + zeros.count)], as: UTF8.self).contains(text) {
            try #require(pwrite(file, zeros, zeros.count, page) == zeros.count)
            damaged += 1
        }
        try #require(damaged > 0)
    }

    @Test func `neither event loops nor the shutdown wait for readers`() async throws {
        let served = try RunningServer(database)
        let body = #"{"title":"Bread","status":"published","body":"a-text-to-be-found"}"#
        let place = try served.send(.post, "/v1/articles", body).fields[.location]
        #expect(served.stop() == 0)
        try damagePages(with: "a-text-to-be-found")

        let pipe = try FullPipe(folder.file("full"))
        let program = try await serve("full")
        // Each of these is logged; there are more of them than event loops.
        for _ in 0..<8 {
            #expect(try TestClient(address).get(try #require(place)).status == 503)
        }
        let filler = String(repeating: "x", count: 4_000)
        for _ in 0..<8 {
            #expect(try TestClient(address).get("/livez?\(filler)").status == 200)
        }
        program.signal(SIGUSR1)
        program.signal(SIGHUP)
        #expect(try TestClient(address).get("/livez").status == 200)
        program.signal(SIGTERM)
        #expect(program.wait() == 0)
        withExtendedLifetime(pipe) {}
    }

    @Test func `another process takes over, and the first one exits`() async throws {
        let pipe = try FullPipe(folder.file("full"))
        let first = try await serve("full", "--grace 5")
        let upgrade = try Program.run("upgrade", "--database", database)
        #expect(upgrade.status == 0, "\(upgrade.errors)")
        #expect(first.wait() == 0)
        #expect(Self.isReady(address))
        let words = upgrade.output.first?.split(separator: " ") ?? []
        let process = try #require(words.count == 3 ? Int32(words[1]) : nil)
        kill(process, SIGTERM)
        #expect(await eventually { !Self.isReady(address) })
        withExtendedLifetime(pipe) {}
    }

    @Test func `a failed start exits`() async throws {
        let pipe = try FullPipe(folder.file("full"))
        for options in ["--loops 0", "--listen unix:/nowhere/at/all.sock"] {
            let program = try Shell.start(
                """
                exec "$binary" serve --database "$folder/a.db" \(options) >"$folder/full" 2>&1
                """, folder: folder.path)
            #expect(program.wait() != 0)
        }
        withExtendedLifetime(pipe) {}
    }

    @Test func `pending lines are written when somebody reads`() async throws {
        let pipe = try FullPipe(folder.file("full"))
        let program = try await serve("full")
        #expect(try TestClient(address).get("/livez?was=here").status == 200)
        #expect(pipe.waits(for: "was=here"))
        program.signal(SIGTERM)
        #expect(pipe.waits(for: #""message":"stopped""#))
        #expect(program.wait() == 0)
    }
}
