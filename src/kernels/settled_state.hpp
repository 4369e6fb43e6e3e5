// What slot Gibbs samples, and small helpers around it.
#pragma once
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace hickam::settled {

// What is sampled.
struct State {
    std::vector<int> set;      // rows in D that have a finding
    std::vector<char> inside;  // [row]
    std::vector<char> risk;    // [risk]

    void remove(std::size_t position) {
        inside[set[position]] = 0;
        set[position] = set.back();
        set.pop_back();
    }
    void add(int row) {
        if (row < 0) return;
        inside[row] = 1;
        set.push_back(row);
    }
    void toggle(int row) {
        if (!inside[row]) return add(row);
        remove(std::size_t(std::find(set.begin(), set.end(), row) - set.begin()));
    }
};

// What two explanations differ in.
struct Change {
    std::vector<int> rows, risks;

    bool operator<(const Change &other) const {
        return std::tie(rows, risks) < std::tie(other.rows, other.risks);
    }
};

// The log of a product of positive numbers; 0 / 0 counts as 0.
class LogProduct {
  public:
    void multiply(double x) { take(product * x); }
    void divide(double x) { take(product / x); }
    double log() const { return sum + std::log(product); }

  private:
    double product = 1.0, sum = 0.0;

    void take(double x) {
        product = x;
        if (x > 1e-150 && x < 1e150) return;
        sum += std::log(x);
        product = 1.0;
        if (std::isnan(sum)) sum = -INFINITY;
    }
};

}  // namespace hickam::settled
