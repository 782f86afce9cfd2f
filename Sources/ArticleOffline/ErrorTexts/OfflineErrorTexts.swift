public import ArticleClient

/// The texts of the errors of stored articles, unsent writes and mirrors.
extension OfflineError: UserFacingError {
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        let cause: ErrorCause
        switch self {
        case .full: cause = ErrorCause(.storeFull, .storeFullAdvice, .never)
        case .busy: cause = ErrorCause(.storeBusy, .againSoon, .now)
        case .newer: cause = ErrorCause(.storeNewer, .updateAdvice, .never)
        case .otherAccount: cause = ErrorCause(.storeOther, .storeOtherAdvice, .afterSignIn)
        case .damaged: cause = ErrorCause(.storeDamaged, .storeDamagedAdvice, .never)
        case .disk: cause = ErrorCause(.disk, .diskAdvice, .now)
        case .noAccount: cause = .signIn
        case .invalid(let value): return value.text(for: purpose, in: language)
        case .tooManyWrites: cause = ErrorCause(.outboxFull, .outboxFullAdvice, .online)
        case .noSuchWrite: cause = ErrorCause(.outboxSettled, .reloadAdvice, .never)
        case .backend(let error): return error.text(for: purpose, in: language)
        }
        return ErrorText(cause, for: purpose, in: language)
    }
}
