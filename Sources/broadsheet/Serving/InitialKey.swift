import ArticleAccounts
import ArticleDatabase
import ArticleOperations
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetHTTPServer
import BroadsheetPlatform

/// The admin key that `serve` creates if the database has no key.
struct InitialKey {
    let store: any SQLStore
    /// Already serving: a start that fails must not use up the key.
    let backend: Backend
    let log: ServerLog
    let output: ServerOutput
    let system: SystemEnvironment

    /// The file for the key if standard error is not a terminal.
    var path: String { store.path + ".admin-key" }

    /// Creates the key unless the database has keys. It is shown once on a terminal, otherwise
    /// written to a file that only its owner can read.
    ///
    /// The key is handed out before it is stored. A crash in between leaves a key that is not
    /// valid, and the next start creates another; the other order could leave no one with a key.
    ///
    /// - Returns: True if this is the first start.
    func makeIfNeeded() async throws(CommandFailure) -> Bool {
        do throws(StoreError) {
            guard try await store.keys().isEmpty else { return false }
            let key = APIKey(name: "first admin", role: .admin, at: system.now, system: system)
            try handOut(key.text)
            try await store.createKey(key.record)
            backend.admit(key.record)
            return true
        } catch { throw CommandFailure(error) }
    }

    /// Prints a link that signs the operator in to the console, on a terminal only: it is a secret.
    func showConsole() {
        guard Console.errorIsTerminal, let link = backend.consoleLinks.link() else { return }
        _ = output.errors.write(
            "Console (valid once, for 10 minutes): \(link.url)\n", withinSeconds: 5)
    }

    private func handOut(_ key: String) throws(StoreError) {
        // If the terminal does not accept the line, the key goes to the file.
        let line = "Admin key (shown only once): \(key)\n"
        if Console.errorIsTerminal, output.errors.write(line, withinSeconds: 5) { return }
        do throws(CommandFailure) {
            try Files.writePrivate(key + "\n", to: path)
        } catch { throw .rejected(error) }
        log.info("the admin key is in \(path); move it to your secret store")
    }
}
