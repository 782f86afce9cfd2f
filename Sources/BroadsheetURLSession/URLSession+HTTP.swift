import ArticleClient
import BroadsheetHTTP
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// - Throws: if URLSession cannot send the request.
    init(
        _ request: HTTPRequest, to origin: HTTPOrigin, _ options: TransportOptions
    ) throws(TransportError) {
        guard case .host = origin.endpoint, let url = URL(string: "\(origin)\(request.target)")
        else { throw Self.unsupported("URLSession cannot send to \(origin)") }
        guard request.body.isEmpty || !(request.method == .get || request.method == .head) else {
            // URLSession would fail with the unhelpful error -1103.
            throw Self.unsupported("URLSession cannot send \(request.method) with a body")
        }
        self.init(url: url)
        httpMethod = request.method.rawValue
        for (name, value) in request.fields.all where name.lowercased() != "host" {
            addValue(value, forHTTPHeaderField: name)
        }
        if !request.body.isEmpty { httpBody = Data(request.body) }
        timeoutInterval = (options.stallTimeout ?? .seconds(86_400 * 365)).seconds
        httpShouldHandleCookies = false
    }

    private static func unsupported(_ detail: String) -> TransportError {
        .failed(TransportFailure(.unsupported, detail))
    }
}

extension HTTPResponse {
    /// The length in bytes of the body that URLSession delivers; `nil` if unknown, as for a body
    /// that it decodes: there, `Content-Length` is the encoded length.
    static func bodyLength(_ response: URLResponse) -> Int? {
        guard let response = response as? HTTPURLResponse else { return nil }
        let coding = response.value(forHTTPHeaderField: "Content-Encoding") ?? "identity"
        guard coding.lowercased() == "identity",
            let length = response.value(forHTTPHeaderField: "Content-Length").flatMap({ Int($0) })
        else { return nil }
        return length < 0 ? nil : length
    }

    /// The head; `nil` for a response of another protocol.
    init?(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse,
            let status = HTTPStatus(response.statusCode)
        else { return nil }
        self.init(status)
        for (name, value) in response.allHeaderFields {
            guard let name = HTTPFieldName("\(name)") else { continue }
            fields.append(name, "\(value)")
        }
        // These fields describe the encoded body, which URLSession has decoded.
        for name in [HTTPFieldName.contentEncoding, .contentLength, .transferEncoding] {
            fields.remove(name)
        }
    }
}

extension TransportError {
    /// Maps an error of URLSession.
    init(_ error: any Error) {
        guard let error = error as? URLError else {
            self = .failed(TransportFailure(.disconnected, "\(error)"))
            return
        }
        let text = error.localizedDescription
        switch error.code {
        case .cancelled: self = .cancelled
        case .timedOut: self = .timedOut
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
            .internationalRoamingOff, .callIsActive, .dataNotAllowed:
            self = .offline(text)
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData,
            .cannotDecodeContentData:
            self = .failed(TransportFailure(.malformed, text))
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .clientCertificateRejected, .clientCertificateRequired,
            .appTransportSecurityRequiresSecureConnection:
            self = .failed(TransportFailure(.insecure, text))
        case .dataLengthExceedsMaximum: self = .failed(TransportFailure(.tooLarge, text))
        case .unsupportedURL: self = .failed(TransportFailure(.unsupported, text))
        default: self = .failed(TransportFailure(.disconnected, text))
        }
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// Rounded up, and at most the maximum that Dispatch accepts.
    var wholeMilliseconds: Int { Int(min(seconds * 1_000 + 0.999, 1e12)) }
}
