import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// Exchanges over HTTP/2 with nginx.
@Suite(.enabled(if: NginxServer.isInstalled, "nginx is not installed"))
struct NginxTests {
    private static let paths = (0..<60).map { "/\($0)" }

    /// Serves with these directives while the body runs.
    private func serve(
        _ directives: String, protocols: String = "ssl http2",
        _ body: (HTTPClient, HTTPOrigin) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let server = try NginxServer(
            directives, protocols: protocols, certificates.pair(["localhost"]))
        var configuration = HTTPClientConfiguration()
        configuration.tls = try TLSClient(
            authorities: Array(certificates.authority.certificatePEM.utf8),
            protocols: HTTPClientConfiguration.protocols)
        let client = try HTTPClient(configuration)
        try await body(
            client, try #require(HTTPOrigin("https://localhost:\(server.address.port)")))
        withExtendedLifetime(server) {}
    }

    @Test func `requests share a connection`() async throws {
        try await serve("location / { return 200 $server_protocol,$connection; }") {
            client, origin in
            let found = try await texts(Self.paths, of: client, origin)
            #expect(Set(found).count == 1)
            #expect(found.first??.hasPrefix("HTTP/2.0,") == true)
            #expect(client.connectionCount == 1)
        }
    }

    @Test func `without HTTP2 requests use several connections`() async throws {
        try await serve("location / { return 200 $server_protocol; }", protocols: "ssl") {
            client, origin in
            let found = try await texts(Self.paths, of: client, origin)
            #expect(Set(found) == ["HTTP/1.1"])
            #expect((1...8).contains(client.connectionCount))
        }
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func `no request is lost at the end of a connection`(method: HTTPMethod) async throws {
        let directives = "keepalive_requests 7; location / { return 200 $connection_requests; }"
        try await serve(directives) { client, origin in
            for _ in 0..<3 {
                let found = try await texts(Self.paths, method, of: client, origin)
                for text in found {
                    let number = text.flatMap { Int($0) } ?? 0
                    #expect((1...7).contains(number), "\(text ?? "")")
                }
            }
            for _ in 0..<20 {
                let found = try await texts(["/"], method, of: client, origin)
                #expect(found.first??.count == 1)
            }
        }
    }

    @Test func `no more streams are opened than nginx accepts`() async throws {
        let directives = "http2_max_concurrent_streams 2; location / { return 200 $connection; }"
        try await serve(directives) { client, origin in
            for _ in 0..<3 {
                let found = try await texts(Self.paths, of: client, origin)
                #expect(Set(found).count == 1)
            }
        }
    }

    @Test func `bodies arrive in both directions`() async throws {
        let directives = """
            client_max_body_size 0;
            location /inner { return 200 $content_length; }
            location /upload { proxy_pass http://unix:SOCKET:/inner; }
            gzip_types text/plain;
            location /large { gzip on; default_type text/plain; root FOLDER; }
            """
        try await serve(directives) { client, origin in
            let body = [UInt8](repeating: 7, count: 3_000_000)
            let sent = try request("/upload", .post, body: body)
            #expect(try await client.send(sent, to: origin, options: patient).text == "3000000")
            let large = try await client.send(try request("/large"), to: origin, options: patient)
            #expect(large.text == NginxServer.largeText)
            let slow = try await client.send(
                try request("/large"), to: origin, options: patientStream)
            #expect(try await texts(["/inner"], of: client, origin).count == 1)
            #expect(try await slow.gathered() == Array(NginxServer.largeText.utf8))
            let head = try await client.send(
                try request("/large", .head), to: origin, options: patient)
            #expect(head.status == .ok && head.text == "")
            #expect(client.connectionCount == 1)
        }
    }
}

/// nginx on a free port, with TLS. It is stopped when this object is released.
final class NginxServer {
    let address: SocketAddress
    private let folder: TemporaryFolder
    private let program: RunningProgram

    private static let path = "/usr/sbin/nginx"
    static let isInstalled = access(path, X_OK) == 0
    /// The contents of the file `large` in `FOLDER`.
    static let largeText = (0..<200_000).map { "line \($0)\n" }.joined()

    /// - Parameter directives: Of the server; `FOLDER` and `SOCKET` (of the same server, without
    ///   TLS) stand for paths.
    init(_ directives: String, protocols: String, _ pair: CertificateAndKey) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let listening = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        address = listening.address
        for (name, bytes) in [
            ("a.pem", pair.certificate), ("a.key", pair.key), ("large", Array(Self.largeText.utf8)),
        ] {
            try Self.write(bytes, to: folder.file(name))
        }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.file($0));" }.joined(separator: " ")
        let configuration = """
            daemon off; pid FOLDER/pid; error_log stderr;
            \(geteuid() == 0 ? "user root;" : "") worker_processes 1;
            events {}
            http {
                access_log off; \(temporary)
                server {
                    listen \(address) \(protocols); listen unix:SOCKET;
                    ssl_certificate FOLDER/a.pem; ssl_certificate_key FOLDER/a.key;
                    \(directives)
                }
            }
            """
            .replacing("FOLDER", with: folder.path).replacing("SOCKET", with: folder.file("s"))
        try Self.write(Array(configuration.utf8), to: folder.file("nginx.conf"))
        // It takes the socket over, which accepts connections already.
        program = try RunningProgram(
            Self.path, ["-e", "stderr", "-p", folder.path, "-c", folder.file("nginx.conf")],
            environment: ["NGINX": "3;"], passing: [listening.raw])
    }

    /// A master that is killed would leave its worker behind.
    deinit {
        program.signal(SIGTERM)
        program.wait()
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "w") else { throw TestFailure("fopen \(path)") }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw TestFailure("fwrite \(path)")
        }
    }
}
