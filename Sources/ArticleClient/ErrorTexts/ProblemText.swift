public import ArticleAPI

extension Problem: UserFacingError {
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        ErrorText(cause(for: purpose), for: purpose, in: language)
    }

    func cause(for purpose: ErrorText.Purpose) -> ErrorCause {
        kind.map { cause(of: $0, for: purpose) } ?? causeOfStatus
    }

    /// The cause of a problem of a type that the contract does not know.
    private var causeOfStatus: ErrorCause {
        switch status {
        case 401: .signIn
        case 403: ErrorCause(.forbidden, .forbiddenAdvice, .never)
        case 404, 410: ErrorCause(.gone, .goneAdvice, .never)
        case 408: .timedOut
        case 409, 412: .changed
        case 413: ErrorCause(.tooLong, .faultLongAdvice, .never)
        case 429: ErrorCause(.tooOften, over: retryAfter)
        case 502...504: ErrorCause(.unavailable, over: retryAfter)
        case 500...: ErrorCause(.failed, over: retryAfter)
        default: ErrorCause(.rejected, .rejectedAdvice, .never)
        }
    }

    private func cause(of kind: Kind, for purpose: ErrorText.Purpose) -> ErrorCause {
        switch kind {
        case .unauthenticated:
            switch purpose {
            case .signIn, .signUp: ErrorCause(.signInRejected, .signInRejectedAdvice, .never)
            case .load, .save, .comment: .signIn
            }
        case .userRequired: ErrorCause(.accountNeeded, .signInAdvice, .afterSignIn)
        case .forbidden: ErrorCause(.forbidden, .forbiddenAdvice, .never)
        case .signUpClosed: ErrorCause(.invitationNeeded, .invitationNeededAdvice, .never)
        case .insecureTransport: ErrorCause(.exposed, .exposedAdvice, .never)
        case .invalidToken, .syncReset: ErrorCause(.copyOutdated, .copyOutdatedAdvice, .now)
        case .requestTimeout: .timedOut
        case .tooManyRequests: ErrorCause(Self.tooOften(purpose), over: retryAfter)
        case .unavailable: ErrorCause(.unavailable, over: retryAfter)
        case .internalError: ErrorCause(.failed, over: retryAfter)
        case .storageFull: ErrorCause(.full, .fullAdvice, .now)
        case .malformedRequest, .methodNotAllowed, .notAcceptable, .unsupportedMediaType,
            .expectationFailed, .misdirectedRequest, .keyReused, .preconditionRequired,
            .notImplemented, .versionNotSupported:
            .outdated
        case .notFound, .preconditionFailed, .contentTooLarge, .addressTooLong, .headerTooLarge,
            .invalidValues, .tooManyBookmarks, .idTaken, .slugTaken, .nameTaken, .requestInFlight,
            .commentsClosed, .editTimeOver, .notTheWriter, .repeatedComment:
            causeOfWrite(kind, for: purpose)
        }
    }

    /// The cause of a problem with what the user reads or has written.
    private func causeOfWrite(_ kind: Kind, for purpose: ErrorText.Purpose) -> ErrorCause {
        switch kind {
        case .notFound where purpose == .load: ErrorCause(.gone, .goneAdvice, .never)
        case .notFound: ErrorCause(.gone, .keepText, .never)
        case .preconditionFailed: .changed
        case .invalidValues:
            ErrorCause(errors, for: purpose) ?? ErrorCause(.rejected, .rejectedAdvice, .never)
        case .tooManyBookmarks: ErrorCause(.bookmarksFull, .bookmarksFullAdvice, .never)
        case .idTaken: ErrorCause(.savedBefore, .reloadAdvice, .never)
        case .slugTaken: ErrorCause(.slugTaken, .slugTakenAdvice, .never)
        case .nameTaken: ErrorCause(.nameTaken, .nameTakenAdvice, .never)
        case .requestInFlight: ErrorCause(.inProgress, over: retryAfter ?? .seconds(1))
        case .commentsClosed: ErrorCause(.commentsClosed, .keepText, .never)
        case .editTimeOver: ErrorCause(.editTimeOver, .editTimeOverAdvice, .never)
        case .notTheWriter: ErrorCause(.notYours, .notYoursAdvice, .never)
        case .repeatedComment: ErrorCause(.commentRepeated, .commentRepeatedAdvice, .never)
        default: ErrorCause(.tooLong, .faultLongAdvice, .never)
        }
    }

    private static func tooOften(_ purpose: ErrorText.Purpose) -> ErrorPhrase {
        switch purpose {
        case .load: .tooOften
        case .signIn: .tooOftenSignIn
        case .signUp: .tooOftenSignUp
        case .save: .tooOftenSave
        case .comment: .tooOftenComment
        }
    }
}
