import BroadsheetTestSupport
import Glibc
import Testing

/// Stops threads of a program for ever, at the functions of C that they call.
struct PinnedThreads {
    private let library: PreloadedLibrary
    private let folder: TemporaryFolder

    init() throws {
        library = try PreloadedLibrary(Self.source)
        folder = try TemporaryFolder()
    }

    private var path: String { folder.file("pins") }

    /// For the program, and for the programs that it starts.
    var environment: [String: String] { library.environment.merging(["PINS": path]) { $1 } }

    /// Pins the thread that is the next to call the function about this text: the path of a file, a
    /// statement, or a name.
    func pin(_ process: Int32, at function: String, about text: String = "") throws {
        try write("\(process) \(function) \(text)\n", to: path + ".new")
        try #require(rename(path + ".new", path) == 0)
    }

    /// Returns true if the thread is pinned, for which this waits.
    func isPinned() async -> Bool { await eventually { access(path + ".pinned", F_OK) == 0 } }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <netdb.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/socket.h>
        #include <unistd.h>

        static void pass(const char *function, const char *text) {
            const char *path = getenv("PINS");
            char line[1024], called[64], about[512] = "", pinned[4096];
            int process = 0, file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
            if (file < 0) return;
            ssize_t length = read(file, line, sizeof line - 1);
            close(file);
            line[length < 0 ? 0 : length] = 0;
            if (sscanf(line, "%d %63s %511[^\\n]", &process, called, about) < 2) return;
            if (process != getpid() || strcmp(called, function) != 0) return;
            if (*about && !(text && strstr(text, about))) return;
            snprintf(pinned, sizeof pinned, "%s.pinned", path);
            file = open(pinned, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            while (file >= 0) pause();
        }

        static void pass_file(const char *function, int descriptor) {
            char link[64], name[4096];
            snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
            ssize_t length = readlink(link, name, sizeof name - 1);
            name[length < 0 ? 0 : length] = 0;
            pass(function, name);
        }

        const char *sqlite3_sql(void *statement);

        #define PINNABLE(type, function, parameters, arguments, pass) \\
            type function parameters { \\
                static type (*next) parameters; \\
                if (!next) next = (type (*) parameters)dlsym(RTLD_NEXT, #function); \\
                pass; \\
                return next arguments; \\
            }

        PINNABLE(int, fdatasync, (int file), (file), pass_file("flush", file))
        PINNABLE(int, fsync, (int file), (file), pass_file("flush", file))
        PINNABLE(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count),
            pass_file("write", file))
        PINNABLE(ssize_t, pread, (int file, void *bytes, size_t count, off_t offset),
            (file, bytes, count, offset), pass_file("pread", file))
        PINNABLE(ssize_t, recv, (int socket, void *bytes, size_t count, int flags),
            (socket, bytes, count, flags), pass("recv", 0))
        PINNABLE(int, sqlite3_step, (void *statement), (statement),
            pass("step", sqlite3_sql(statement)))
        PINNABLE(int, crypto_pwhash_str_alg,
            (char *text, const char *password, unsigned long long length,
                unsigned long long passes, size_t memory, int algorithm),
            (text, password, length, passes, memory, algorithm), pass("hash", 0))
        PINNABLE(int, setpriority, (int which, unsigned who, int value), (which, who, value),
            pass("background", 0))
        PINNABLE(int, xmlParseChunk, (void *parser, const char *bytes, int count, int isLast),
            (parser, bytes, count, isLast), pass("parse", 0))
        PINNABLE(int, deflate, (void *stream, int flush), (stream, flush), pass("deflate", 0))
        PINNABLE(int, getaddrinfo,
            (const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found),
            (name, service, hints, found), pass("resolve", name))
        """
}
