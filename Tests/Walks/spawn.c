// Below valgrind, /proc/self/exe is valgrind: starts the walked program where it starts itself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const *, char *const *);

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment) {
    spawn_function *real = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawn");
    const char *program = getenv("WALKED_PROGRAM");
    if (program && strcmp(path, "/proc/self/exe") == 0) path = program;
    return real(pid, path, actions, attributes, arguments, environment);
}
