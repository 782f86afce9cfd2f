import BroadsheetCommandLine
import BroadsheetHTTPClient
import BroadsheetSockets

/// The connections that `serve` opens itself.
enum OutboundConfiguration {
    static let options = [
        Option(
            "outbound-ca", "FILE",
            "Certificate authorities (PEM) to trust for the server's own requests instead of the "
                + "system's.")
    ]

    static func connections(
        _ settings: Settings
    ) throws(CommandFailure) -> HTTPClientConfiguration {
        var configuration = HTTPClientConfiguration()
        if let path = settings.text("outbound-ca") {
            let authorities = try Files.read(path)
            do throws(TLSConfigurationError) {
                configuration.tls = try TLSClient(
                    authorities: authorities, protocols: HTTPClientConfiguration.protocols)
            } catch { throw CommandFailure(.configuration, "\(path): \(error)") }
        }
        return configuration
    }
}
