import ArticleServices
import ArticleStore
import HTTPServer
import SQLiteStore

/// The admin key that the first `serve` makes where no other key is.
struct FirstKey {
    let store: SQLiteStore
    /// Already serving: a start that cannot be must not spend the key.
    let backend: Backend
    let log: ServerLog
    let output: ServerOutput

    /// Where the key goes when nobody watches: beside the database.
    var path: String { store.path + ".admin-key" }

    /// Makes the key, unless the file holds keys: shown once on a terminal, otherwise in a file
    /// that only its owner reads.
    ///
    /// The key is handed out before it is kept. A crash in between leaves a key that opens nothing,
    /// and the next start makes another; the other order could lock everybody out.
    func makeIfNeeded() async throws(CommandFailure) {
        do throws(StoreError) {
            guard try await store.keys().isEmpty else { return }
            let key = APIKey(name: "first admin", role: .admin, at: .now)
            try handOut(key.text)
            try await store.createKey(key.record)
            backend.admit(key.record)
        } catch { throw CommandFailure(error) }
    }

    private func handOut(_ key: String) throws(StoreError) {
        // A terminal that takes nothing would lose the key.
        let line = "The admin key, shown this once: \(key)\n"
        if Console.errorIsTerminal, output.errors.write(line, withinSeconds: 5) { return }
        do throws(CommandFailure) {
            try Files.writePrivate(key + "\n", to: path)
        } catch { throw .rejected(error) }
        log.info("the admin key is in \(path); move it to where keys are kept")
    }
}
