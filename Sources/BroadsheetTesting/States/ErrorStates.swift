import ArticleAPI
public import ArticleClient
public import ArticleOffline

/// Every error that a screen may have to show, for a preview of all texts.
extension BackendError {
    /// One of each kind: failures of the network, every problem of the contract, and the others.
    ///
    /// ```swift
    /// let lines = BackendError.samples.map { error in
    ///     let text = error.text(for: .save, in: .english)
    ///     return "\(text.title): \(text.message) \(text.advice)"
    /// }
    /// ```
    public static let samples: [BackendError] =
        [
            .offline("there is no network"), .timedOut, .notCached, .signedOut, .cancelled,
            .superseded, .unauthorized(Problem(.unauthenticated)),
            .signInRejected(Problem(.unauthenticated)),
            .mapping(.missingAttribute(name: "title", path: "$.title")),
        ] + failures.map { .transport(TransportFailure($0, "a sample")) }
        + Problem.Kind.allCases.map { .problem(Problem($0, detail: "This is a sample.")) }
        + [.problem(Problem(.invalidValues, errors: [titleFault]))]

    private static let failures: [TransportFailure.Kind] = [
        .disconnected, .insecure, .malformed, .foreign, .tooLarge, .unsupported, .overloaded,
        .redirected, .credentials,
    ]

    private static let titleFault = Problem.Detail(
        "is longer than 300 characters", at: .pointer("/title"))
}

extension OfflineError {
    /// One of each kind.
    public static let samples: [OfflineError] = [
        .full, .busy, .newer(schema: 400), .otherAccount, .damaged("a sample"), .disk("a sample"),
        .noAccount, .invalid(blankTitle), .tooManyWrites, .noSuchWrite,
        .backend(.unauthorized(Problem(.unauthenticated))),
    ]

    /// The contract's own error for a draft without a title.
    private static let blankTitle: InvalidValue = {
        do throws(InvalidValue) { try Article.Draft(title: "").validate() } catch { return error }
        preconditionFailure("programmer error: a title may be empty")
    }()
}
