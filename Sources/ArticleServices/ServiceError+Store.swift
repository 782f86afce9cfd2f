import ArticleAPI
import ArticleStore
import HTTP

extension ServiceError {
    /// The only place that converts store errors to service errors.
    init(_ error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case let error as StoreError: self = ServiceError(store: error)
        default: self = .unavailable(cause: "\(error)")
        }
    }

    private init(store error: StoreError) {
        switch error {
        case .notFound: self = .notFound
        case .preconditionFailed(let current): self = .preconditionFailed(current: current)
        case .idTaken: self = .idTaken
        case .slugTaken(let slug): self = .slugTaken(slug)
        case .unknownAuthor(let index, let id):
            self = .invalidValue("/authors/\(index)/id", "no author has the id \(id)")
        case .authorDiffers(let index, let name):
            self = .invalidValue(
                "/authors/\(index)/name",
                "this author's name is \"\(name)\"; change it with PUT /v1/authors/{id}")
        case .rejected(let cause): self = ServiceError(cause)
        case .keyReused: self = .keyReused
        case .repeated: self = .inFlight
        case .busy: self = .busy
        case .full: self = .full
        case .conflict(let text), .tooMany(let text), .unavailable(let text), .corrupt(let text):
            self = .unavailable(cause: text)
        }
    }
}

extension Precondition {
    /// The precondition of `If-Match` (RFC 9110 §13.1.1); only the version part of a validator is
    /// compared.
    init(_ condition: IfMatch?) {
        switch condition {
        case nil: self = .anything
        case .any: self = .existing
        case .tags(let tags): self = .versions(Set(tags.compactMap(Validator.version(in:))))
        }
    }
}
