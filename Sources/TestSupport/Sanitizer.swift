import Glibc

/// Whether the tests and their programs were built with a sanitizer, which costs memory and time.
public enum Sanitizer {
    public static let isUsed =
        dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// The time limit of a test that is quick by itself but runs beside all others.
    public static let patienceMinutes = isUsed ? 20 : 1
}
