import BroadsheetKit
import Foundation
import Security

/// Trusts a server only if the system does and its own certificate is the one that the app knows.
func pinnedTransport(certificate known: Data) -> URLSessionTransport {
    let hooks = URLSessionHooks(challenge: { challenge, decide in
        guard let trust = challenge.protectionSpace.serverTrust else {
            return decide(.performDefaultHandling, nil)
        }
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
        guard SecTrustEvaluateWithError(trust, nil), let certificate = chain?.first,
            SecCertificateCopyData(certificate) as Data == known
        else { return decide(.cancelAuthenticationChallenge, nil) }
        decide(.useCredential, URLCredential(trust: trust))
    })
    return URLSessionTransport(configuration: .ephemeral, hooks: hooks)
}
