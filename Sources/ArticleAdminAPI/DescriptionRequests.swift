public import ArticleAPI
import BroadsheetHTTP

/// `GET /openapi.json`: the description of the API, as an OpenAPI 3.1 document.
///
/// ```swift
/// let description = try await backend.send(FetchDescriptionRequest())
/// ```
public struct FetchDescriptionRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/openapi.json", name: "getDescription",
        summary: "Describes the API as an OpenAPI document", access: .everyone)
    public typealias Item = APIDescription

    public static let parameters = Parameters(Self.init)

    public init() {}
}
