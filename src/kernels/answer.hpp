// What every engine gives back, and the time it may take for it.
#pragma once
#include <chrono>
#include <cstddef>
#include <vector>

namespace hickam {

struct Answer {
    double log_evidence = 0.0;
    std::vector<double> posterior;            // [row]
    std::vector<double> disabled, sustained;  // [row, column]
    std::vector<double> unexplained;          // [column]
    bool expired = false;
};

class Stopwatch {
  public:
    explicit Stopwatch(double seconds) : start(clock::now()), bound(seconds) {}
    double elapsed() const {
        return std::chrono::duration<double>(clock::now() - start).count();
    }
    double limit() const { return bound; }
    bool expired() const { return bound > 0.0 && elapsed() > bound; }

  private:
    using clock = std::chrono::steady_clock;
    clock::time_point start;
    double bound;  // 0: none
};

}  // namespace hickam
