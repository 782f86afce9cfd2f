import ArticleClient

/// The text of the last line about an error; `nil` if nobody waits for what has failed.
func message(of error: any Error) -> String? {
    if let error = error as? BackendError, error.isStopped { return nil }
    let text = ErrorText(error)
    return "\(text.message) \(text.advice)"
}
