import Glibc

/// Whether the tests and what they start were built with a sanitizer, which costs memory and time.
public enum Sanitizer {
    public static let isUsed =
        dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// How long a test may take that should take a moment, beside all others.
    public static let patienceMinutes = isUsed ? 20 : 1
}
