import BroadsheetHTTP
import BroadsheetKit

/// `POST /v1/own-sessions`: the members of the request are the members of its body.
struct OwnSignInRequest: BackendAPIRequest {
    static let endpoint = Endpoint(
        .post, "/v1/own-sessions", access: .everyone, carriesSecrets: true)
    typealias Item = OwnSession

    static let parameters = Parameters(
        Self.init,
        .member(.required("email", \.email, .text(.line(3...254)))),
        .member(.required("password", \.password, .text(.line(8...200)))),
        .member(.optional("device", \.device, .text(.line(1...80)))))

    var email: String
    var password: String
    var device: String?
}

struct OwnSession: JSONModel, Hashable {
    static let shape = ObjectCodec(
        Self.init(token:), .required("token", \.token, .text(.line(1...500))))

    var token: String
}
