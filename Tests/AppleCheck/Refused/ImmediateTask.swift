// 'immediate(name:priority:executorPreference:operation:)' is only available in

func begin() -> Task<Void, Never> {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
        return Task.immediate {}
    }
    return Task {}
}
