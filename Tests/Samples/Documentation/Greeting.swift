import BroadsheetHTTP
import BroadsheetKit

/// `GET /v1/greetings/{name}?language=`: an endpoint of a server of one's own.
struct FetchGreetingRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/v1/greetings/{name}", access: .everyone)
    typealias Item = Greeting

    static let parameters = Parameters(
        Self.init, .path("name", \.name, .line(1...80)),
        .query("language", \.language, .line(2...35)))

    var name: String
    var language: String?
}

struct Greeting: JSONModel, Hashable {
    static let shape = ObjectCodec(
        Self.init(text:), .required("text", \.text, .text(.line(1...200))))

    var text: String
}

func greeting(for name: String, from backend: BackendService) async throws(BackendError) -> String {
    try await backend.send(FetchGreetingRequest(name: name, language: "en")).text
}
