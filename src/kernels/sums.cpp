// Products of small tables, summed one variable at a time. The twin is `hickam.twin.factors`.
#include "seam.hpp"
#include "sums_order.hpp"
#include "sums_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include <nanobind/stl/vector.h>

namespace hickam::sums {
namespace {

using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
constexpr double MOST_CELLS = 1e15;  // of a table, so that its cells can be counted
constexpr double NOTHING = -std::numeric_limits<double>::infinity();

struct Message {
    Scope scope;
    std::vector<double> numbers;
    Table table() const { return {&scope, numbers.data()}; }
};

// Divides by the largest number, which comes back.
double scale(std::vector<double> &numbers, double least = 0.0) {
    const double peak = std::max(*std::max_element(numbers.begin(), numbers.end()), least);
    if (peak > 0.0)
        for (double &number : numbers) number /= peak;
    return peak;
}

// A product of tables, ready to be summed; it keeps the tables.
class Sums {
  public:
    Sums(std::vector<Numbers> tables, std::vector<Scope> scopes, std::vector<std::size_t> sizes)
        : tables(std::move(tables)), scopes(std::move(scopes)), sizes(std::move(sizes)) {
        check();
        order = cheapest_order(this->scopes, this->sizes);
    }

    double cells() const { return order.cells; }
    double widest() const { return order.widest; }

    // (log of the total, the normalised marginals of the variables asked for); the total of an
    // impossible product is 0 and nothing has a marginal. One pass up a tree of buckets, one down
    // the branches that lead to what is asked for; every message is scaled by its largest number.
    std::pair<double, std::vector<std::vector<double>>> solve(const std::vector<int> &wanted) const {
        Passes passes(*this);
        const double log_total = passes.up();
        if (log_total == NOTHING) return {log_total, {}};
        return {log_total, passes.down(wanted)};
    }

    std::size_t variables() const { return sizes.size(); }

  private:
    struct Passes {
        explicit Passes(const Sums &sums)
            : sums(sums), buckets(sums.order.cliques.size()), sent(buckets.size()),
              heard(buckets.size()), parent(buckets.size(), -1) {}

        double up() {
            double log_total = 0.0;
            for (std::size_t i = 0; i < sums.tables.size(); ++i) {
                const Scope &scope = sums.scopes[i];
                const double *numbers = sums.tables[i].data();
                if (scope.empty())
                    log_total += std::log(*numbers);
                else
                    buckets[first_step(scope)].push_back({&scope, numbers});
            }
            for (std::size_t step = 0; step < buckets.size() && log_total != NOTHING; ++step) {
                const Scope &clique = sums.order.cliques[step];
                Message &message = sent[step];
                message.scope.assign(clique.begin() + 1, clique.end());
                message.numbers = summed_to(
                    message.scope, multiplied(buckets[step], clique, sums.sizes), clique, sums.sizes);
                log_total += std::log(scale(message.numbers));
                if (message.scope.empty()) continue;
                parent[step] = sums.order.step[message.scope.front()];
                buckets[parent[step]].push_back(message.table());
            }
            return log_total;
        }

        std::vector<std::vector<double>> down(const std::vector<int> &wanted) {
            std::vector<bool> needed(buckets.size(), false);
            for (const int variable : wanted)
                for (int step = sums.order.step[variable]; step != -1 && !needed[step];
                     step = parent[step])
                    needed[step] = true;
            for (std::size_t step = buckets.size(); step-- > 0;)
                if (needed[step]) heard[step] = from_above(step);
            std::vector<std::vector<double>> beliefs;
            for (const int variable : wanted) beliefs.push_back(belief(variable));
            return beliefs;
        }

      private:
        int first_step(const Scope &scope) const {
            int first = std::numeric_limits<int>::max();
            for (const int variable : scope) first = std::min(first, sums.order.step[variable]);
            return first;
        }

        // What everything outside the branch below a step says about what the branch sends.
        Message from_above(std::size_t step) const {
            const int above = parent[step];
            if (above < 0) return {{}, {1.0}};
            std::vector<Table> others{heard[above].table()};
            for (const Table &table : buckets[above])
                if (table.scope != &sent[step].scope) others.push_back(table);
            const Scope &clique = sums.order.cliques[above];
            Message message{sent[step].scope, {}};
            message.numbers = summed_to(message.scope, multiplied(others, clique, sums.sizes),
                                        clique, sums.sizes);
            scale(message.numbers, 1e-300);
            return message;
        }

        std::vector<double> belief(int variable) const {
            const int step = sums.order.step[variable];
            std::vector<Table> all = buckets[step];
            all.push_back(heard[step].table());
            const Scope &clique = sums.order.cliques[step];
            std::vector<double> found =
                summed_to({variable}, multiplied(all, clique, sums.sizes), clique, sums.sizes);
            double total = 0.0;
            for (const double number : found) total += number;
            for (double &number : found) number /= total;
            return found;
        }

        const Sums &sums;
        std::vector<std::vector<Table>> buckets;  // [step] what is multiplied there
        std::vector<Message> sent, heard;         // [step] up and down
        std::vector<int> parent;                  // [step] where its message goes, or -1
    };

    void check() const {
        if (scopes.size() != tables.size()) refuse("there must be one scope for each table");
        for (const std::size_t size : sizes)
            if (size == 0) refuse("every variable needs a state");
        for (std::size_t i = 0; i < tables.size(); ++i) {
            Scope sorted = scopes[i];
            std::sort(sorted.begin(), sorted.end());
            if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
                refuse("a variable is twice in scope " + std::to_string(i));
            if (tables[i].ndim() != scopes[i].size())
                refuse("table " + std::to_string(i) + " needs one axis for each of its variables");
            for (std::size_t axis = 0; axis < scopes[i].size(); ++axis) {
                const int variable = scopes[i][axis];
                if (variable < 0 || std::size_t(variable) >= sizes.size())
                    refuse("there is no variable " + std::to_string(variable));
                if (tables[i].shape(axis) != sizes[variable])
                    refuse("table " + std::to_string(i) + " does not fit its variables");
            }
        }
    }

    std::vector<Numbers> tables;
    std::vector<Scope> scopes;
    std::vector<std::size_t> sizes;
    Order order;
};

constexpr const char *SUMS = "hickam sums";

nb::tuple make(std::vector<Numbers> tables, std::vector<Scope> scopes,
               std::vector<std::size_t> sizes) {
    auto made = std::make_unique<Sums>(std::move(tables), std::move(scopes), std::move(sizes));
    const double cells = made->cells(), widest = made->widest();
    const nb::capsule kept(made.release(), SUMS,
                           [](void *sums) noexcept { delete static_cast<Sums *>(sums); });
    return nb::make_tuple(kept, cells, widest);
}

nb::tuple solve(const nb::capsule &kept, const std::vector<int> &wanted) {
    if (!kept.name() || std::strcmp(kept.name(), SUMS)) refuse("not a product of tables");
    const Sums &sums = *static_cast<const Sums *>(kept.data());
    for (const int variable : wanted)
        if (variable < 0 || std::size_t(variable) >= sums.variables())
            refuse("there is no variable " + std::to_string(variable));
    if (sums.widest() > MOST_CELLS) refuse("the largest table could not be held");
    std::pair<double, std::vector<std::vector<double>>> found;
    {
        nb::gil_scoped_release free;
        found = sums.solve(wanted);
    }
    nb::list beliefs;
    for (std::vector<double> &belief : found.second) beliefs.append(owned(std::move(belief)));
    return nb::make_tuple(found.first, beliefs);
}

}  // namespace
}  // namespace hickam::sums

void bind_sums(nanobind::module_ &module) {
    module.def("sums", &hickam::sums::make,
               "A product of tables over variables of so many states, ready to be summed, with the\n"
               "numbers in all its cliques and in the largest. scopes[i] names the axes of tables[i].");
    module.def("solve_sums", &hickam::sums::solve,
               "The log of the total of a product, and the marginals of the wanted variables.");
}
