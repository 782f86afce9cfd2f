public import ArticleClient

/// The texts of the errors of stored articles and unsent writes.
extension ModelStoreError: UserFacingError {
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        let cause: ErrorCause =
            switch self {
            case .full: ErrorCause(.storeFull, .storeFullAdvice, .never)
            case .busy: ErrorCause(.storeBusy, .againSoon, .now)
            case .newer: ErrorCause(.storeNewer, .updateAdvice, .never)
            case .otherAccount: ErrorCause(.storeOther, .storeOtherAdvice, .afterSignIn)
            case .damaged: ErrorCause(.storeDamaged, .storeDamagedAdvice, .never)
            case .disk: ErrorCause(.disk, .diskAdvice, .now)
            }
        return ErrorText(cause, for: purpose, in: language)
    }
}

extension OutboxError: UserFacingError {
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        let cause: ErrorCause
        switch self {
        case .invalid(let value): return value.text(for: purpose, in: language)
        case .notStored(let error): return error.text(for: purpose, in: language)
        case .noAccount: cause = .signIn
        case .full: cause = ErrorCause(.outboxFull, .outboxFullAdvice, .online)
        case .noSuchWrite: cause = ErrorCause(.outboxSettled, .reloadAdvice, .never)
        }
        return ErrorText(cause, for: purpose, in: language)
    }
}

extension ArticleMirrorError: UserFacingError {
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        switch self {
        case .backend(let error): error.text(for: purpose, in: language)
        case .store(let error): error.text(for: purpose, in: language)
        }
    }
}
