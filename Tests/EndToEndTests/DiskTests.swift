import Glibc
import HTTP
import TestSupport
import Testing

/// What callers see of a disk that is full, read-only or failing.
@Suite struct DiskTests {
    let folder: TemporaryFolder
    private static let text = String(repeating: "x", count: 50_000)

    init() throws { folder = try TemporaryFolder() }

    /// The status of a creation, and the article's place.
    private static func create(_ served: Served, _ body: String = text) throws -> (Int, String?) {
        let answer = try served.send(
            .post, "/v1/articles", #"{"title":"Bread","status":"published","body":"\#(body)"}"#)
        return (answer.status, answer.fields[.location])
    }

    @Test(.enabled(if: Shell.canMount, "mounts need root"))
    func `a full disk is 507 to writers, read on, and used again when there is room`() throws {
        let program = try Shell.startWithMounts(
            """
            mount -t tmpfs -o size=4m tmpfs "$folder"
            dd if=/dev/zero of="$folder/filler" bs=64k count=24 status=none
            exec "$binary" serve --database "$folder/a.db" --listen 127.0.0.1:0
            """, folder: folder.path)
        let served = try Served(program)
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

        let inside = "/proc/\(program.processID)/root\(folder.path)"
        #expect(unlink("\(inside)/filler") == 0)
        let (after, place) = try Self.create(served)
        #expect(after == 201)
        places += [place].compactMap(\.self)
        // The disk goes with the program: what was flushed is copied while nobody writes.
        let copies = try TemporaryFolder()
        for name in ["a.db", "a.db-wal"] {
            try write(bytes(of: "\(inside)/\(name)"), to: copies.file(name))
        }
        program.signal(SIGKILL)
        try Self.verify(copies.file("a.db"), places)
    }

    /// All of the articles are there, and the file is whole.
    private static func verify(_ database: String, _ places: [String]) throws {
        let served = try Served(database)
        for place in places { #expect(try served.client.get(place).status == 200) }
        #expect(served.stop() == 0)
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    @Test(.enabled(if: Shell.canMount, "mounts need root"))
    func `a disk that is read-only is told in one line at the start`() throws {
        let database = folder.file("a.db")
        #expect(try Served(database).stop() == 0)
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
    func `flushes that fail are no success to anyone, and pass`(failure: String) throws {
        let database = folder.file("a.db")
        #expect(try Served(database).stop() == 0)
        let program = try Shell.start(
            """
            exec strace -D -f -qq -o /dev/null -e trace=fsync,fdatasync \
            -e inject=fsync,fdatasync:error=\(failure):when=4+4 \
            "$binary" serve --database "$folder/a.db" --listen 127.0.0.1:0
            """, folder: folder.path)
        let served = try Served(program)
        var places: [String] = []
        var refused = 0
        for _ in 0..<20 {
            let (status, place) = try Self.create(served, "short")
            if let place, status == 201 { places.append(place) } else { refused += 1 }
            #expect([201, 503, 507].contains(status))
        }
        #expect(refused > 1 && places.count > 5)
        program.signal(SIGKILL)
        program.wait()
        let again = try Served(database)
        let list = try again.client.get("/v1/articles?count=exact&limit=1&fields=id")
        #expect(
            String(decoding: list.body, as: UTF8.self).contains(
                #""count":{"value":\#(places.count),"isExact":true}"#))
        #expect(again.stop() == 0)
        try Self.verify(database, places)
    }
}
