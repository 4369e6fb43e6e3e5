// Work shared out to threads, so that what goes wrong in one of them reaches whoever asked.
#pragma once
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace hickam {

// Runs work(0) to work(workers - 1) at the same time and waits for all. The first exception is
// thrown again here; a share for which the system has no thread is done by the caller.
template <class Work> void together(int workers, const Work &work) {
    std::vector<std::exception_ptr> raised(workers);
    const auto share = [&](int worker) noexcept {
        // a thread's room for exceptions is made when it first has one: now, while there is memory
        static_cast<void>(std::uncaught_exceptions());
        try {
            work(worker);
        } catch (...) {
            raised[worker] = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(workers);
    int begun = 1;
    try {
        for (; begun < workers; ++begun) threads.emplace_back(share, begun);
    } catch (const std::system_error &) {
        // no more threads: the rest is done below
    }
    share(0);
    for (int worker = begun; worker < workers; ++worker) share(worker);
    for (auto &thread : threads) thread.join();
    for (const auto &one : raised)
        if (one) std::rethrow_exception(one);
}

}  // namespace hickam
