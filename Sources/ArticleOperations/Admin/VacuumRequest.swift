public import ArticleAPI
public import ArticleStore
import BroadsheetHTTP

/// `POST /v1/admin/vacuum`: takes a step of returning the space of removed data to the file system.
/// It is sent with the progress of the step before until that is complete.
public struct VacuumRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/admin/vacuum", name: "vacuum",
        summary: "Frees unused space of the database, one step at a time", access: .administer)
    public typealias Item = VacuumProgress

    public static let parameters = Parameters(
        Self.init(done:), .query("done", \.done, .integer(0...Int.max)))

    /// That of the step before.
    var done: Int?

    private init(done: Int?) { self.done = done }

    public init(_ progress: VacuumProgress) { done = progress.done }
}

extension VacuumProgress: JSONModel {
    public static let shape = ObjectCodec(
        Self.init(done:total:),
        .required("done", \.done, .integer(0...Int.max)),
        .required("total", \.total, .integer(0...Int.max)))
}
