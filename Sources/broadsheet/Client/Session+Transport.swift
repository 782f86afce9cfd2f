import ArticleClient
import HTTPClient
import Sockets

extension Session {
    /// A socket transport whose TLS trusts the authorities of `--ca`, or else those of the system.
    static func transport(_ settings: Settings) throws(CommandFailure) -> SocketTransport {
        var configuration = HTTPClientConfiguration()
        if let path = settings.text("ca") {
            let authorities = try Files.read(path)
            do throws(TLSConfigurationError) {
                configuration.tls = try TLSClient(
                    authorities: authorities, protocols: ["http/1.1"])
            } catch { throw CommandFailure(.configuration, "\(path): \(error)") }
        }
        return SocketTransport(configuration)
    }
}
