// COVER: exact and free of cancellation. Takes the problem apart into connected components, sweeps
// each, and puts their answers together.
#include "settled_sweep.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace hickam::settled {
namespace {

struct Parts {
    std::vector<std::vector<int>> rows, columns;
    std::vector<int> loose;  // rows that no lattice needs
};

Parts parts(const Settled &problem, const std::vector<char> &in_lattice) {
    const Components found = components(problem, in_lattice);
    Parts result{std::vector<std::vector<int>>(found.count),
                 std::vector<std::vector<int>>(found.count), {}};
    for (std::size_t k = 0; k < problem.rows; ++k)
        if (found.of_row[k] >= 0 && problem.on[k] > 0.0)
            result.rows[found.of_row[k]].push_back(int(k));
        else
            result.loose.push_back(int(k));
    for (std::size_t s = 0; s < problem.columns; ++s)
        if (found.of_column[s] >= 0) result.columns[found.of_column[s]].push_back(int(s));
    for (const auto &columns : result.columns)
        if (columns.size() > MOST_BITS)
            throw std::invalid_argument(std::to_string(columns.size()) +
                                        " present findings share causes, but at most " +
                                        std::to_string(MOST_BITS) + " can be handled");
    return result;
}

double log_loose(const Settled &problem, const Parts &split_up) {
    double sum = 0.0;
    for (int k : split_up.loose) sum += std::log(problem.off[k] + problem.on[k]);
    return sum;
}

}  // namespace

Components components(const Settled &problem, const std::vector<char> &used) {
    std::vector<int> parent(problem.columns);
    for (std::size_t s = 0; s < problem.columns; ++s) parent[s] = int(s);
    auto root = [&](int s) {
        while (parent[s] != s) s = parent[s] = parent[parent[s]];
        return s;
    };
    std::vector<int> first(problem.rows, -1);
    for (std::size_t k = 0; k < problem.rows; ++k) {
        if (!(problem.on[k] > 0.0)) continue;
        for (std::size_t s = 0; s < problem.columns; ++s) {
            if (!used[s] || !(problem.acts[k * problem.columns + s] > 0.0)) continue;
            if (first[k] < 0) first[k] = int(s);
            else parent[root(int(s))] = root(first[k]);
        }
    }
    Components found{0, std::vector<int>(problem.rows, -1), std::vector<int>(problem.columns, -1)};
    std::vector<int> label(problem.columns, -1);
    for (std::size_t s = 0; s < problem.columns; ++s) {
        if (!used[s]) continue;
        int &mark = label[root(int(s))];
        if (mark < 0) mark = int(found.count++);
        found.of_column[s] = mark;
    }
    for (std::size_t k = 0; k < problem.rows; ++k)
        if (first[k] >= 0) found.of_row[k] = found.of_column[first[k]];
    return found;
}

Answer cover(const Settled &problem, const Stopwatch &watch) {
    const std::size_t cells = problem.rows * problem.columns;
    Answer answer{0.0, std::vector<double>(problem.rows), std::vector<double>(cells),
                  std::vector<double>(cells), std::vector<double>(problem.columns)};
    // A certain leak is always on: its finding needs no bit.
    std::vector<char> in_lattice(problem.columns);
    for (std::size_t s = 0; s < problem.columns; ++s) in_lattice[s] = problem.leak_fails[s] > 0.0;
    const Parts split_up = parts(problem, in_lattice);
    answer.log_evidence = log_loose(problem, split_up);
    for (int k : split_up.loose)
        answer.posterior[k] = problem.on[k] / (problem.off[k] + problem.on[k]);
    for (std::size_t c = 0; c < split_up.rows.size(); ++c) {
        Component component(problem, split_up.rows[c], split_up.columns[c]);
        answer.log_evidence += component.solve(answer, watch);
        if (answer.expired) return answer;
    }
    if (!(answer.log_evidence > -INFINITY)) {  // also catches 0 / 0 of an impossible loose row
        answer.log_evidence = -INFINITY;
        return answer;
    }
    for (std::size_t s = 0; s < problem.columns; ++s) {
        if (in_lattice[s]) continue;
        std::vector<double> silent(problem.on, problem.on + problem.rows);
        for (std::size_t k = 0; k < problem.rows; ++k) {
            const std::size_t cell = k * problem.columns + s;
            answer.sustained[cell] = problem.acts[cell] * answer.posterior[k];
            silent[k] *= problem.fails[cell];
        }
        Settled without = problem;
        without.on = silent.data();
        const Parts pieces = parts(without, in_lattice);
        double log_chance = log_loose(without, pieces);
        for (std::size_t c = 0; c < pieces.rows.size(); ++c)
            log_chance += Component(without, pieces.rows[c], pieces.columns[c]).evidence();
        answer.unexplained[s] = std::exp(log_chance - answer.log_evidence);
    }
    return answer;
}

}  // namespace hickam::settled
