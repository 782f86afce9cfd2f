import ArticleAPI
import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// Two servers of one database behind HAProxy and nginx, by the files in `Resources/nodes`. One
/// test runs at a time, as each takes all that the machine has.
@Suite(
    .mayBlock, .serialized,
    .enabled(
        if: PostgresServer.isInstalled && Balancer.areInstalled,
        "PostgreSQL, HAProxy or nginx is not installed"))
struct BalancerTests {
    private static func cluster(_ arguments: String...) throws -> NodeCluster {
        let common = [
            "--config", Balancer.resources + "nodes.json", "--trusted-proxy", "unix",
            "--rate-limit", "off", "--key-rate-limit", "off",
        ]
        return try NodeCluster(2, common + arguments, onSockets: true)
    }

    private static func send(
        _ method: HTTPMethod, _ target: String, _ body: String = "", after sequence: String? = nil,
        to balancer: Balancer
    ) throws -> ReceivedResponse {
        var fields: HTTPFields = [.authorization: "Bearer \(RunningServer.adminKey)"]
        if let sequence { fields[.broadsheetAfter] = sequence }
        if !body.isEmpty { fields[.contentType] = "application/json" }
        return try balancer.client.send(method, target, fields: fields, body: Array(body.utf8))
    }

    private static func load(_ balancer: Balancer, readers: Int = 0, writers: Int = 0)
        -> BackgroundLoad
    {
        let address = balancer.address
        return BackgroundLoad(readers: readers, writers: writers) { try RawConnection(address) }
    }

    @Test func `the programs accept the files as they are`() throws {
        let haproxy = try RunningProgram(
            Balancer.Kind.haproxy.program, ["-c", "-f", Balancer.Kind.haproxy.file])
        #expect(haproxy.wait() == 0, "\(haproxy.errors.rest())")
        let folder = try TemporaryFolder()
        try write(read(Balancer.Kind.nginx.file), to: folder.file("articles.conf"))
        let nginx = try RunningProgram(
            Balancer.Kind.nginx.program,
            ["-t"] + Balancer.nginxArguments(folder, including: "articles.conf"))
        #expect(nginx.wait() == 0, "\(nginx.errors.rest())")
    }

    @Test
    func
        `systemd accepts the unit as a template, and each variable of the containers is an option`()
        throws
    {
        let folder = try TemporaryFolder()
        let unit = folder.file("broadsheet@.service")
        mkdir("\(unit).d", 0o700)
        let root = Balancer.resources
        for (example, place) in [
            ("../systemd/broadsheet.service", unit), ("node.conf", "\(unit).d/node.conf"),
        ] {
            let text = try read(root + example)
            try write(text.replacing("/usr/bin/broadsheet", with: Program.path()), to: place)
        }
        let verified = try RunningProgram(
            "/usr/bin/env", ["systemd-analyze", "verify", "--man=no", "broadsheet@1.service"],
            environment: ["SYSTEMD_UNIT_PATH": folder.path + ":"])
        let findings = verified.errors.rest().filter { line in
            // systemd itself need not be installed.
            line.contains("broadsheet") && !line.contains("sysinit.target not found")
        }
        #expect(findings.isEmpty)

        let help = try Program.run("serve", "--help").output
        let variables = try read(root + "compose.yaml").matches(of: #/BROADSHEET_([A-Z_]+):/#)
            .map { $0.1.lowercased().replacing("_", with: "-") }
        #expect(variables.count > 2)
        for option in variables {
            #expect(help.contains { $0.contains("--\(option) ") }, "\(option)")
        }
    }

    @Test(arguments: Balancer.Kind.allCases)
    func `requests and streams reach both servers, and a write is read through the other one`(
        _ kind: Balancer.Kind
    ) throws {
        let cluster = try Self.cluster("--drain", "0")
        let balancer = try Balancer(kind, before: cluster)
        var followers = try (0..<2).map { _ in
            var follower = StreamFollower()
            let stream = try follower.open(balancer.address)
            try follower.receive(from: stream, upTo: "ready")
            return (follower, stream)
        }
        for number in 0..<10 {
            let written = try Self.send(
                .post, "/v1/articles", #"{"title":"T\#(number)","status":"published"}"#,
                to: balancer)
            #expect(written.status == 201, "\(written.text)")
            for _ in 0..<2 {
                let read = try Self.send(
                    .get, "/v1/articles?limit=1", after: written.fields[.broadsheetSequence],
                    to: balancer)
                #expect(read.status == 200 && read.text.contains(#""title":"T\#(number)""#))
            }
            for index in followers.indices {
                let (_, stream) = followers[index]
                let changes = try followers[index].0.receive(from: stream, upTo: "change")
                #expect(changes.count == 1)
            }
        }
        for number in 0..<2 { try cluster.served(number).waitForError("/v1/articles") }
        // A stream is logged when it has ended.
        followers = []
        for number in 0..<2 { try cluster.served(number).waitForError("/v1/changes/stream") }
        cluster.stop()
    }

    @Test(arguments: Balancer.Kind.allCases)
    func `when a server is killed, no read fails, and few writes on their way to it`(
        _ kind: Balancer.Kind
    ) async throws {
        let cluster = try Self.cluster("--drain", "0", "--log", "off")
        let balancer = try Balancer(kind, before: cluster)
        try await Self.expectFewFailures(of: cluster, behind: balancer) { cluster.kill(1) }
    }

    @Test func `when a server is frozen, HAProxy takes it out, and takes it in again`()
        async throws
    {
        let cluster = try Self.cluster("--drain", "0", "--log", "off")
        let balancer = try Balancer(.haproxy, before: cluster)
        let program = cluster.served(1).program
        try await Self.expectFewFailures(of: cluster, behind: balancer) {
            program.signal(SIGSTOP)
            try balancer.waitUntil(1, is: "DOWN")
        }
        program.signal(SIGCONT)
        try balancer.waitUntil(1, is: "UP")
        #expect(cluster.served(0).stop() == 0)
        #expect(try balancer.client.get("/v1/articles").status == 200)
        cluster.stop()
    }

    /// Lets clients go on while a server fails. Writes that were on their way to it are not
    /// repeated, nor are those that the balancer sends on a connection before it has seen its end.
    private static func expectFewFailures(
        of cluster: NodeCluster, behind balancer: Balancer, when fail: () throws -> Void
    ) async throws {
        let readers = load(balancer, readers: 3)
        let writers = load(balancer, writers: 2)
        defer {
            writers.stop()
            readers.stop()
        }
        #expect(readers.goOn(for: 50))
        #expect(!writers.written.isEmpty || writers.goOn(for: 1))
        try fail()
        #expect(readers.goOn(for: 300))
        let later = ContinuousClock.now
        let written = writers.written.count
        #expect(await eventually { writers.written.count > written + 20 })
        writers.stop()
        readers.stop()
        #expect(readers.failures.isEmpty, "\(readers.failures.prefix(3))")
        #expect(writers.failures.count <= 8, "\(writers.failures.prefix(9))")
        #expect(writers.failures(since: later).isEmpty, "\(writers.failures(since: later))")
        for slug in writers.written {
            let read = try send(.get, "/v1/articles/\(slug)?fields=slug", to: balancer)
            #expect(read.status == 200, "\(slug) is lost")
        }
    }

    @Test func `servers are upgraded and restarted one after the other without a failed request`()
        throws
    {
        let cluster = try Self.cluster("--log", "off")
        let balancer = try Balancer(.haproxy, before: cluster)
        let load = Self.load(balancer, readers: 2, writers: 1)
        defer { load.stop() }
        for number in 0..<2 {
            #expect(load.goOn(for: 100))
            try cluster.restart(number)
            try balancer.waitUntil(number, is: "UP")
        }
        let direct = (0..<2).map { number in
            let address = cluster.served(number).addresses[0]
            return BackgroundLoad(readers: 1, writers: 0) { try RawConnection(address) }
        }
        defer { for load in direct { load.stop() } }
        for number in 0..<2 {
            #expect(load.goOn(for: 100) && direct[number].goOn(for: 20))
            try cluster.upgrade(number)
        }
        #expect(load.goOn(for: 100))
        for load in [load] + direct {
            load.stop()
            #expect(load.failures.isEmpty, "\(load.failures.prefix(3))")
        }
        #expect(!load.written.isEmpty)
        for slug in load.written {
            let read = try Self.send(.get, "/v1/articles/\(slug)?fields=slug", to: balancer)
            #expect(read.status == 200, "\(slug) is lost")
        }
        cluster.stop()
    }
}
