import BroadsheetSockets
import BroadsheetTestSupport
import Foundation
import Glibc

/// HAProxy or nginx in front of two nodes on Unix sockets, as the files in `Resources/nodes`
/// configure them.
final class Balancer: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case haproxy, nginx

        var program: String { "/usr/sbin/\(rawValue)" }

        /// The example.
        var file: String { Balancer.resources + (self == .haproxy ? "haproxy.cfg" : "nginx.conf") }
    }

    /// True if both are installed.
    static let areInstalled = Kind.allCases.allSatisfy { access($0.program, X_OK) == 0 }

    static let resources =
        URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Resources/nodes/").standardized.path + "/"

    let address: SocketAddress
    private let program: RunningProgram
    private let folder: TemporaryFolder

    init(_ kind: Kind, before cluster: NodeCluster) throws {
        let socket = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        defer { socket.close() }
        address = socket.address
        folder = try TemporaryFolder()
        let places = (0..<2).map { cluster.served($0).addresses[0].description }
        switch kind {
        case .haproxy:
            let addresses = places.map { "unix@" + $0.dropFirst("unix:".count) }
            program = try RunningProgram(
                kind.program, ["-f", kind.file],
                environment: ["LISTEN": "fd@3", "NODE1": addresses[0], "NODE2": addresses[1]],
                passing: [socket.raw])
        case .nginx:
            var text = try String(contentsOfFile: kind.file, encoding: .utf8)
            for (example, actual) in [
                ("listen 8080;", "listen \(address);"), ("127.0.0.1:8081", places[0]),
                ("127.0.0.1:8082", places[1]),
            ] { text.replace(example, with: actual) }
            try write(text, to: folder.file("articles.conf"))
            // It takes sockets from another nginx by their addresses.
            program = try RunningProgram(
                kind.program, try Self.nginxArguments(folder, including: "articles.conf"),
                environment: ["NGINX": "3;"], passing: [socket.raw])
        }
    }

    deinit {
        // nginx ends its workers.
        program.signal(SIGTERM)
        program.wait()
    }

    /// The arguments of an nginx whose files are in the folder, with one for `conf.d`.
    static func nginxArguments(
        _ folder: TemporaryFolder, including name: String
    ) throws -> [String] {
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.file($0));"
        }
        try write(
            """
            daemon off;
            \(geteuid() == 0 ? "user root;" : "")
            pid \(folder.file("pid"));
            events { }
            http {
                access_log off;
                \(paths.joined(separator: "\n"))
                include \(folder.file(name));
            }
            """, to: folder.file("nginx.conf"))
        return ["-e", "stderr", "-c", folder.file("nginx.conf")]
    }

    /// Waits until HAProxy reports this state of a server: `UP` or `DOWN`.
    func waitUntil(_ number: Int, is state: String) throws {
        let text = "Server articles/node\(number + 1) is \(state)"
        while let line = program.errors.next() {
            if line.contains(text) { return }
        }
        throw TestFailure("HAProxy never reported: \(text)")
    }

    var client: TestClient { TestClient(address) }
}
