public import ArticleAPI
public import BroadsheetHTTP

/// The texts of the errors of requests, from the client's down to those of a message's bytes.
extension BackendError: UserFacingError {
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        let cause: ErrorCause =
            switch self {
            case .transport(let failure): failure.cause
            case .problem(let problem): problem.cause(for: purpose)
            case .unauthorized: Problem(.unauthenticated).cause(for: purpose)
            case .signInRejected: ErrorCause(.passwordWrong, .passwordWrongAdvice, .never)
            case .signedOut: ErrorCause(.signedOut, .signInAdvice, .afterSignIn)
            case .mapping: .unreadable
            case .cancelled, .superseded: .cancelled
            case .timedOut: .timedOut
            case .offline: .offline
            case .notCached: ErrorCause(.notStored, .notStoredAdvice, .online)
            }
        return ErrorText(cause, for: purpose, in: language)
    }
}

extension TransportFailure {
    fileprivate var cause: ErrorCause {
        switch kind {
        case .disconnected: ErrorCause(.lost, .timedOutAdvice, .now)
        case .insecure: ErrorCause(.insecure, .networkAdvice, .online)
        case .malformed, .redirected: .network
        case .foreign:
            switch status?.code ?? 0 {
            case 429: ErrorCause(.tooOften, over: retryAfter)
            case 500...: ErrorCause(.unavailable, over: retryAfter)
            default: .network
            }
        case .tooLarge: ErrorCause(.tooLarge, .againAdvice, .now)
        case .overloaded: ErrorCause(.busy, .againSoon, .now)
        case .unsupported: ErrorCause(.unsupported, .updateAdvice, .never)
        case .credentials: ErrorCause(.credentials, .credentialsAdvice, .afterSignIn)
        }
    }
}

extension TransportError: UserFacingError {
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        BackendError(self).text(for: purpose, in: language)
    }
}

extension CredentialStoreError: UserFacingError {
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        let cause: ErrorCause =
            switch kind {
            case .locked: ErrorCause(.credentialsLocked, .credentialsLockedAdvice, .now)
            case .notEntitled: ErrorCause(.credentialsForbidden, .updateAdvice, .never)
            case .damaged:
                ErrorCause(.credentialsDamaged, .credentialsDamagedAdvice, .afterSignIn)
            case .failed: ErrorCause(.credentialsFailed, .credentialsFailedAdvice, .afterSignIn)
            }
        return ErrorText(cause, for: purpose, in: language)
    }
}

extension InvalidValue: UserFacingError {
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        Problem(.invalidValues, errors: details).text(for: purpose, in: language)
    }
}

extension ResponseMapperError: UserFacingError {
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        BackendError.mapping(self).text(for: purpose, in: language)
    }
}

/// An address may come from the user.
extension HTTPURL.Fault: UserFacingError {
    public func text(
        for purpose: ErrorText.Purpose, in language: PresentationLanguage
    ) -> ErrorText {
        ErrorText(
            ErrorCause(.addressInvalid, .addressInvalidAdvice, .never), for: purpose, in: language)
    }
}

// Only a fault of the app or of the server causes these.
extension HTTPParseError: UserFacingError {}
extension QueryItems.ParsingError: UserFacingError {}
extension PercentEncoding.DecodingError: UserFacingError {}
extension RequestTarget.PathError: UserFacingError {}
extension RequestTarget.ParsingError: UserFacingError {}
