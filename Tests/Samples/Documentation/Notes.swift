import BroadsheetHTTP
import BroadsheetKit

/// `GET /v1/notes`: a list of which a server may send items that this app cannot read.
struct FetchNotesRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/v1/notes", access: .everyone)
    typealias Item = Lenient<[Note]>
    static let parameters = Parameters(Self.init)
}

struct Note: JSONModel, Hashable {
    static let shape = ObjectCodec(
        Self.init(text:), .required("text", \.text, .text(.line(1...200))))

    var text: String
}

/// The notes that can be read, and the number of those that cannot.
func notes(on backend: BackendService) async throws(BackendError) -> ([Note], missing: Int) {
    let notes = try await backend.send(FetchNotesRequest())
    return (notes.value, notes.leftOut.count)
}

/// The newest articles, without any that cannot be read.
func newestArticles(on backend: BackendService) async throws(BackendError) -> [Article] {
    try await backend.send(Lenient.Request(FetchArticlesRequest())).value.items
}
