/// Tells the thread sanitizer what Swift's runtime does not: resuming a continuation before its
/// task has suspended hands over what the resuming thread wrote. (If the task has suspended, the
/// executor's lock establishes the order.) Only `make test-thread` builds this.
#if defined(__linux__) && __has_feature(thread_sanitizer)
#define _GNU_SOURCE
#include <dlfcn.h>

typedef __attribute__((swiftcall)) void (*resumption)(void *task);
typedef __attribute__((swiftcall)) void (*failure)(void *task, void *error);
typedef __attribute__((swiftasynccall)) void (*suspension)(void *context);

void __tsan_acquire(void *place);
void __tsan_release(void *place);
__attribute__((swiftcall)) void *swift_task_getCurrent(void);

static resumption real_resume;
static resumption real_throwing_resume;
static failure real_resume_with_error;
static suspension real_await;

__attribute__((constructor)) static void find_runtime(void) {
    real_resume = (resumption)dlsym(RTLD_NEXT, "swift_continuation_resume");
    real_throwing_resume = (resumption)dlsym(RTLD_NEXT, "swift_continuation_throwingResume");
    real_resume_with_error =
        (failure)dlsym(RTLD_NEXT, "swift_continuation_throwingResumeWithError");
    real_await = (suspension)dlsym(RTLD_NEXT, "swift_continuation_await");
}

__attribute__((swiftcall)) void swift_continuation_resume(void *task) {
    __tsan_release(task);
    real_resume(task);
}

__attribute__((swiftcall)) void swift_continuation_throwingResume(void *task) {
    __tsan_release(task);
    real_throwing_resume(task);
}

__attribute__((swiftcall)) void swift_continuation_throwingResumeWithError(
    void *task, void *error) {
    __tsan_release(task);
    real_resume_with_error(task, error);
}

__attribute__((swiftasynccall)) void swift_continuation_await(void *context) {
    __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return real_await(context);
}
#endif
