import BroadsheetHTTP
import BroadsheetKit

/// A model of a server of one's own.
struct Podcast: JSONModel, Identifiable, Hashable {
    static let shape = ObjectCodec(
        Self.init, .required("id", \.id, .integer(1...Int.max)),
        .required("title", \.title, .text(.line(1...200))),
        .optional("transcript", \.transcript, .text(.lines(1...1_000_000))))

    var id: Int
    var title: String
    var transcript: String?
}

struct FetchPodcastsRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/v1/podcasts", access: .everyone)
    typealias Item = [Podcast]
    static let parameters = Parameters(Self.init)
}

struct FetchPodcastRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/v1/podcasts/{id}", access: .everyone)
    typealias Item = Podcast
    static let parameters = Parameters(Self.init(id:), .path("id", \.id, .integer(1...Int.max)))

    var id: Int
}

// What the store needs.

extension Podcast: StorableModel {
    static let storedForm = StoredForm("Podcast", shape, omittedInLists: ["transcript"])
}

extension FetchPodcastsRequest: CacheableRequest {}

extension FetchPodcastRequest: ModelRequest {
    var modelID: Int { id }
}

/// The titles on a screen: those of the last response, also without a network.
func podcastTitles(from library: OfflineLibrary) async throws(BackendError) -> [String] {
    let options = RequestOptions(freshness: .orCached())
    return try await library.backend.send(FetchPodcastsRequest(), options: options).map(\.title)
}
