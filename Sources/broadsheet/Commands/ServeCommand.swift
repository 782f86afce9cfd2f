import ArticleAPI
import ArticleDatabase
import ArticleImportExport
import ArticleOperations
import ArticleResources
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import FoundationEssentials
import Glibc

/// Serves a database until it is asked to stop.
struct ServeCommand: Command {
    static let name = "serve"
    static let summary = "Serves the articles of a database file over HTTP."
    static let usage = "[options]"
    static let example = "broadsheet serve --listen 127.0.0.1:8080 --database broadsheet.db"
    static let options = ServeConfiguration.options

    let configuration: ServeConfiguration

    init(_ settings: Settings) throws(CommandFailure) {
        configuration = try ServeConfiguration(settings)
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        // Writing to a closed log must not end the server (signal(7)).
        signal(SIGPIPE, SIG_IGN)
        // Before the first thread.
        if let shortage = AddressSpace.shortage() {
            throw CommandFailure(.configuration, shortage)
        }
        do throws(SystemError) { try CoreDumps.forbid() } catch {
            throw CommandFailure(.systemError, "cannot keep secrets out of core dumps: \(error)")
        }
        let memory = HeapTrimmer(cores: ProcessInfo.processInfo.activeProcessorCount)
        defer { withExtendedLifetime(memory) {} }
        let output = ServerOutput(configuration.log)
        defer { output.flush(withinSeconds: 1) }
        let log = ServerLog(
            isJSON: configuration.log.isJSON, level: configuration.logLevel, system: system
        ) {
            output.errors.write($0)
        }
        let sockets = ListenerSockets(configuration.socketAccess)
        let successors = SuccessorProcess(log)
        let grace = Double(configuration.graceSeconds)
        let requests = OperatorRequests(
            output,
            limitSeconds: Double(configuration.drainSeconds)
                + StopLimits.lastSeconds(graceSeconds: grace)
        ) {
            log.error("work is still running: exiting without it; acknowledged writes are stored")
            successors.stop()
            sockets.close()
        }
        do throws(CommandFailure) {
            try ActivatedSockets.take(into: sockets)
            try configuration.transport.check(activated: sockets)
            let serverRun = ServerRun(
                sockets: sockets, certificates: try certificates(log, system), requests: requests,
                successors: successors, supervisor: Supervisor(), log: log,
                output: output, graceSeconds: grace, system: system)
            try await serve(in: serverRun)
        } catch {
            sockets.close()
            throw error
        }
        sockets.close()
    }

    /// Serves until it is stopped or another process has taken over; continues if that one fails.
    private func serve(in serverRun: ServerRun) async throws(CommandFailure) {
        var predecessor = try configuration.takesOver ? contactPredecessor(serverRun) : nil
        var connections = try predecessor?.takeFile()
        // It may have been moved away from here before.
        if configuration.formerDatabase != nil {
            MovedDatabaseNote.forget(configuration.databasePath)
        }
        while true {
            let store = try await open(in: serverRun, predecessor)
            // Interrupted backups and exports may have left files behind.
            TemporaryFile.removeAbandoned(store.path)
            predecessor?.reportProgress()
            let end: ServerRun.End
            do throws(CommandFailure) {
                end = try await serve(
                    store, in: serverRun,
                    ready: {
                        predecessor?.confirm()
                        noteMove(serverRun)
                    },
                    started: { servers in
                        if let connections { servers.adopt(connections) }
                        serverRun.sockets.own()
                    })
            } catch {
                await store.close()
                throw error
            }
            switch end {
            case .stopped(var left):
                _ = await serverRun.close(
                    store, readSeconds: StopLimits.readSeconds,
                    writeSeconds: StopLimits.writeSeconds, left: &left)
                serverRun.log.info("stopped")
                if !left.isEmpty { serverRun.exitLeavingThreads() }
                return
            case .handedOver(let handOver):
                if await complete(handOver, of: store, in: serverRun) { return }
                (predecessor, connections) = (nil, handOver.connections)
                serverRun.sockets.rewind()
            }
        }
    }

    /// Hands over the store, which no client uses any more.
    ///
    /// - Returns: `false` if the other process has failed, so that this one continues.
    private func complete(
        _ handOver: ServerRun.HandOver, of store: any SQLStore, in serverRun: ServerRun
    ) async -> Bool {
        var left = handOver.left
        let closing = await serverRun.close(
            store, readSeconds: StopLimits.readSeconds,
            writeSeconds: handOver.isWritable ? StopLimits.writeSeconds : 0, left: &left)
        if case .writeIsLeft = closing {
            serverRun.exit(leavingTo: handOver.successor, handOver.connections)
        }
        handOver.deadline.cancel()
        let name = configuration.databasePath
        let database = PostgresAddress.isAddress(name) ? name : store.path
        switch await serverRun.yield(
            database, to: handOver.successor, with: handOver.connections)
        {
        case .failed: return false
        case .serves, .stopped:
            await handOver.servers.finish(graceSeconds: serverRun.graceSeconds)
            if !left.isEmpty { serverRun.exitLeavingThreads() }
            return true
        }
    }

    private func open(
        in serverRun: ServerRun, _ predecessor: Predecessor?
    ) async throws(CommandFailure) -> any SQLStore {
        let name = configuration.databasePath
        try MovedDatabaseNote.reject(name)
        // A process that has the control socket of another would ask itself.
        let ownsControl = serverRun.sockets.all.contains { $0.role == .control }
        do throws(StoreOpeningError) {
            return try await serverRun.patience.open(
                mayWait: predecessor == nil,
                isServed: { !ownsControl && ControlSocket.isServed(ofDatabase: name) },
                { () throws(StoreOpeningError) in
                    try Database.store(
                        name, .create, configuration.store, serves: true, system: serverRun.system
                    ) { predecessor?.reportProgress() }
                })
        } catch { throw CommandFailure(error) }
    }

    /// The former database must not be served by accident any more.
    private func noteMove(_ serverRun: ServerRun) {
        guard let former = configuration.formerDatabase else { return }
        do throws(CommandFailure) {
            try MovedDatabaseNote.note(
                former, movedTo: configuration.databasePath, at: serverRun.system.now)
        } catch { serverRun.log.warning(error.message) }
    }

    /// Requests the sockets of the process that serves the file, and checks as much as possible
    /// before it releases the file: until then it continues to serve.
    private func contactPredecessor(_ serverRun: ServerRun) throws(CommandFailure) -> Predecessor? {
        let path = configuration.formerDatabase ?? configuration.databasePath
        guard let predecessor = try Predecessor.find(ofDatabase: path, in: serverRun.system)
        else {
            serverRun.log.info("no server is running for \(path): nothing to take over")
            return nil
        }
        do throws(CommandFailure) {
            try prepare(serverRun, predecessor)
        } catch {
            predecessor.report(error)
            throw error
        }
        return predecessor
    }

    private func prepare(
        _ serverRun: ServerRun, _ predecessor: Predecessor
    ) throws(CommandFailure) {
        try predecessor.receiveSockets(into: serverRun.sockets)
        let transport = configuration.transport
        for (role, addresses) in [
            (ListenerSockets.Role.articles, configuration.addresses),
            (.proxied, transport.proxied), (.redirect, transport.redirects),
            (.admin, configuration.adminAddresses),
        ] {
            try serverRun.sockets.prepare(role, configured: addresses)
        }
        serverRun.sockets.rewind()
        let name = configuration.databasePath
        // A migration has locks of its own in a database that is not served yet.
        guard PostgresAddress.isAddress(name), configuration.formerDatabase == nil else { return }
        do throws(StoreOpeningError) {
            try PostgresStore.expectNoLocks(in: PostgresAddress(name))
        } catch { throw CommandFailure(error) }
    }

    /// - Parameters:
    ///   - ready: called when startup can no longer fail, before the first request is accepted.
    ///   - started: called when the servers are running.
    private func serve(
        _ store: any SQLStore, in serverRun: ServerRun, ready: () -> Void,
        started: (Servers) -> Void
    ) async throws(CommandFailure) -> ServerRun.End {
        if configuration.withSamples { try await fillIfEmpty(store, serverRun) }
        let assembly = try await ServerAssembly(configuration, over: store, in: serverRun)
        serverRun.certificates?.start()
        let end = try await run(
            assembly, over: store, in: serverRun, ready: ready, started: started)
        serverRun.certificates?.stop()
        assembly.logSignals.stop()
        return end
    }

    /// Imports the bundled samples into a store that has never been written to.
    private func fillIfEmpty(
        _ store: any SQLStore, _ serverRun: ServerRun
    ) async throws(CommandFailure) {
        do throws(StoreError) {
            guard try await store.changeSequence() == 0 else { return }
        } catch { throw CommandFailure(error) }
        let importer = Importer(
            store: store, language: configuration.defaultLanguage, system: serverRun.system)
        do throws(InterchangeError) {
            serverRun.log.info(
                "imported \(try await importer.runSamples().created) sample articles")
        } catch { throw CommandFailure(error) }
    }

    private func certificates(
        _ log: ServerLog, _ system: SystemEnvironment
    ) throws(CommandFailure) -> Certificates? {
        let transport = configuration.transport
        guard !transport.certificates.isEmpty else { return nil }
        return try Certificates(
            CertificateFiles(paths: transport.certificates), profile: transport.profile,
            protocols: transport.protocols, log, system)
    }

    private func run(
        _ assembly: ServerAssembly, over store: any SQLStore, in serverRun: ServerRun,
        ready: () -> Void, started: (Servers) -> Void
    ) async throws(CommandFailure) -> ServerRun.End {
        let log = serverRun.log
        let servers = assembly.servers
        // Metrics are available before the first article is served.
        let metricsAddresses =
            try await start(servers.admin, [.admin], in: serverRun)
        let listening = try await start(
            servers.articles, [.articles, .proxied, .redirect], in: serverRun, ready: ready)
        assembly.feeds.isServed(
            at: configuration.feeds.addresses(
                listening: listening, isSecure: !configuration.transport.certificates.isEmpty))
        servers.control.start(log)
        offerConsole(at: listening.prefix(servers.articleAddresses.count), assembly.consoleLinks)
        if configuration.operatorKey == nil, try await assembly.firstKey.makeIfNeeded(),
            configuration.hasConsole
        {
            assembly.firstKey.showConsole()
        }
        started(servers)
        // They end with this function, so the store is no longer used after it, unless they do not.
        let tasks = serverRun.begin(assembly, examining: { examine(in: serverRun.system) })
        let background = serverRun.startBackgroundTasks(servers)
        defer { background.end() }
        let print = { (line: String) in serverRun.output.announcements.write(line + "\n") }
        announce(listening, redirects: servers.redirects.count, print)
        for address in metricsAddresses {
            print("metrics on \(address.url("http"))/metrics")
            if !address.isLoopback {
                log.warning("anyone who can reach \(address) can read the metrics")
            }
        }
        let request = await serverRun.requests.next()
        switch request {
        case .conclude: preconditionFailure("programmer error: there is no successor")
        case .stop:
            serverRun.supervisor.stopping()
            serverRun.successors.stop()
            await drain(assembly.backend, serverRun)
            return .stopped(left: await serverRun.stop(servers, tasks))
        case .handOver(let successor, let deadline):
            serverRun.supervisor.reloading()
            return .handedOver(
                await serverRun.handOver(servers, tasks, store, to: successor, deadline))
        }
    }

    /// Goes on serving until balancers have noticed that this server is about to stop.
    private func drain(_ backend: Backend, _ serverRun: ServerRun) async {
        guard configuration.drainSeconds > 0 else { return }
        serverRun.log.info("stopping in \(configuration.drainSeconds) s: /readyz is 503")
        backend.drain()
        // It is not cancelled; a second signal ends the process.
        await serverRun.system.sleep(.seconds(configuration.drainSeconds))
    }

    /// The doctor's findings about serving, for admins.
    private func examine(in system: SystemEnvironment) -> [ServerStatistics.Finding] {
        let check = ServingCheck(configuration: configuration, isServed: true, system: system)
        var findings = Diagnostics()
        check.run(&findings)
        return findings.all.map { finding in
            ServerStatistics.Finding(
                subject: finding.subject, level: finding.level.rawValue, found: finding.found,
                advice: finding.advice)
        }
    }

    private func start(
        _ server: HTTPServer?, _ roles: Set<ListenerSockets.Role>, in serverRun: ServerRun,
        ready: () -> Void = {}
    ) async throws(CommandFailure) -> [SocketAddress] {
        guard let server else { return [] }
        do throws(HTTPServerError) {
            return try await serverRun.patience.listen(
                abandon: { serverRun.sockets.abandon(roles) },
                { () throws(HTTPServerError) in try server.start(ready: ready) })
        } catch { throw CommandFailure(error) }
    }

    /// Links to the console name an address that only this machine can reach.
    private func offerConsole(at addresses: ArraySlice<SocketAddress>, _ links: ConsoleLinks) {
        let scheme = configuration.transport.certificates.isEmpty ? "http" : "https"
        let local = addresses.first { $0.isLoopback && $0.port != 0 }
        if let local { links.serves(at: local.url(scheme)) }
    }

    /// Prints where the server listens; redirecting addresses come last.
    private func announce(
        _ addresses: [SocketAddress], redirects: Int, _ print: (String) -> Void
    ) {
        let scheme = configuration.transport.certificates.isEmpty ? "http" : "https"
        for address in addresses.dropLast(redirects) {
            print("listening on \(address.url(scheme))")
        }
        for address in addresses.suffix(redirects) {
            print("redirecting from \(address.url("http"))")
        }
    }
}

extension SocketAddress {
    /// The URL for clients: `http://127.0.0.1:8080`, or `unix:PATH` unchanged.
    fileprivate func url(_ scheme: String) -> String {
        let text = description
        return text.hasPrefix("unix:") ? text : "\(scheme)://\(text)"
    }
}
