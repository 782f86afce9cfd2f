import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// A disk that is full, read-only or failing, as clients see it.
@Suite(.mayBlock) struct DiskTests {
    let folder: TemporaryFolder
    private static let text = String(repeating: "x", count: 50_000)

    init() throws { folder = try TemporaryFolder() }

    /// Creates an article, and returns the status and the location.
    private static func create(_ served: RunningServer, _ body: String = text) throws -> (
        Int, String?
    ) {
        let response = try served.send(
            .post, "/v1/articles", #"{"title":"Bread","status":"published","body":"\#(body)"}"#)
        return (response.status, response.fields[.location])
    }

    @Test(.enabled(if: Shell.canMount, "mounts need root"))
    func `on a full disk writes fail with 507, reads work, and writes recover`() throws {
        #expect(try RunningServer(folder.file("a.db")).stop() == 0)
        let disk = try SmallDisk(folder, "--log off --log-level error")
        let served = disk.served
        var places: [String] = []
        var status = 201
        while status == 201, places.count < 200 {
            let (next, place) = try Self.create(served)
            status = next
            if let place { places.append(place) }
        }
        #expect(status == 507 && places.count > 3)
        for place in places { #expect(try served.client.get(place).status == 200) }
        #expect(try served.client.get("/v1/articles?limit=3").status == 200)
        #expect(try Self.create(served).0 == 507)
        #expect(try served.client.get("/livez").status == 200)
        try served.waitForError("/disk/a.db is full, with ")

        disk.makeRoom()
        let (after, place) = try Self.create(served)
        #expect(after == 201)
        // At the level error, too, as the beginning was.
        let next = try #require(served.program.errors.next())
        #expect(next.contains("the disk has room again: writes succeed, after "))
        places += [place].compactMap(\.self)
        // The disk disappears with the program, so flushed files are copied while nobody writes.
        let copies = try TemporaryFolder()
        for name in ["a.db", "a.db-wal"] {
            try write(bytes(of: "\(disk.folder)/\(name)"), to: copies.file(name))
        }
        served.program.signal(SIGKILL)
        try Self.verify(copies.file("a.db"), places)
    }

    @Test(.enabled(if: Shell.canMount, "mounts need root"))
    func `on a full disk sessions go on with the same refresh token`() throws {
        #expect(try RunningServer(folder.file("a.db")).stop() == 0)
        let disk = try SmallDisk(folder, "--log off --sign-up open")
        let served = disk.served
        func post(_ target: String, _ json: String) throws -> ReceivedResponse {
            try served.client.send(
                .post, target, fields: [.contentType: "application/json"], body: Array(json.utf8))
        }
        func refreshed(_ session: UserSession) throws -> UserSession {
            let json = #"{"refreshToken":"\#(session.refreshToken)"}"#
            let response = try post("/v1/sessions/refresh", json)
            try #require(response.status == 200, "\(response.text)")
            return try UserSession(mapping: response.body)
        }
        func status(_ session: UserSession) throws -> Int {
            let fields: HTTPFields = [.authorization: "Bearer \(session.accessToken)"]
            return try served.client.send(.get, "/v1/me", fields: fields).status
        }
        let account = #"{"name":"mina","password":"correct horse"}"#
        #expect(try post("/v1/users", account).status == 201)
        var session = try UserSession(mapping: post("/v1/sessions", account).body)
        while try Self.create(served).0 == 201 {}
        // The last room may still do for some exchanges.
        var next = try refreshed(session)
        for _ in 0..<1_000 where next.refreshToken != session.refreshToken {
            (session, next) = (next, try refreshed(next))
        }
        #expect(next.refreshToken == session.refreshToken)
        #expect(next.accessToken != session.accessToken)
        #expect(try refreshed(session).accessToken == next.accessToken)
        #expect(try status(next) == 200 && status(session) == 200)
        #expect(try post("/v1/sessions", account).status == 507)

        disk.makeRoom()
        let last = try refreshed(next)
        #expect(last.refreshToken != next.refreshToken)
        // A lost response is repeated, as ever.
        #expect(try refreshed(session) == last)
        #expect(try status(last) == 200 && status(next) == 401)
        served.program.signal(SIGKILL)
    }

    /// All articles are present, and the database is sound.
    private static func verify(_ database: String, _ places: [String]) throws {
        let served = try RunningServer(database)
        for place in places { #expect(try served.client.get(place).status == 200) }
        #expect(served.stop() == 0)
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    @Test(.enabled(if: Shell.canMount, "mounts need root"))
    func `a start on a read-only disk fails with one line`() throws {
        let database = folder.file("a.db")
        #expect(try RunningServer(database).stop() == 0)
        let before = try bytes(of: database)
        let program = try Shell.startWithMounts(
            """
            mount --bind "$folder" "$folder"
            mount -o remount,bind,ro "$folder"
            exec "$binary" serve --database "$folder/a.db" --listen 127.0.0.1:0
            """, folder: folder.path)
        let errors = program.errors.rest()
        #expect(program.wait() == 74)
        #expect(errors.count == 1)
        #expect(errors.first?.contains("Read-only file system") == true, "\(errors)")
        #expect(try bytes(of: database) == before)
    }

    @Test(.enabled(if: Shell.canTrace, "strace is not here"), arguments: ["EIO", "ENOSPC"])
    func `failing flushes fail the writes, which recover afterwards`(failure: String) throws {
        let database = folder.file("a.db")
        #expect(try RunningServer(database).stop() == 0)
        let program = try Shell.start(
            """
            exec strace -D -f -qq -o /dev/null -e trace=fsync,fdatasync \
            -e inject=fsync,fdatasync:error=\(failure):when=4+4 \
            "$binary" serve --database "$folder/a.db" --listen 127.0.0.1:0
            """, folder: folder.path)
        let served = try RunningServer(program)
        var places: [String] = []
        var rejected = 0
        // Every fourth flush of a thread fails, and it is not known how many threads flush.
        for _ in 0..<400 where rejected < 2 || places.count < 6 {
            let (status, place) = try Self.create(served, "short")
            if let place, status == 201 { places.append(place) } else { rejected += 1 }
            #expect([201, 503, 507].contains(status))
        }
        #expect(rejected > 1 && places.count > 5)
        program.signal(SIGKILL)
        program.wait()
        let again = try RunningServer(database)
        let list = try again.client.get("/v1/articles?count=exact&limit=1&fields=id")
        #expect(
            String(decoding: list.body, as: UTF8.self).contains(
                #""count":{"value":\#(places.count),"isExact":true}"#))
        #expect(again.stop() == 0)
        try Self.verify(database, places)
    }
}
