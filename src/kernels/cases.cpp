// Many cases with few findings in one call: each reduced, answered exactly by COVER or, where risk
// factors couple diseases, by summing them out, and spread over all diseases, with Python's lock
// released for all of them together.
#include "coupled_elimination.hpp"
#include "reduce.hpp"
#include "settled.hpp"

#include <algorithm>

namespace hickam {
namespace {

using Block = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// What became of a case.
constexpr char SETTLED = 0, COUPLED = 1, UNANSWERED = 2;

// A block holds, one after the other, the posterior and the single-fault posterior [disease],
// disabled and sustained [disease, present], unexplained [present], the log evidence, and the
// rounding error and condition number of a coupled case.
struct Page {
    double *posterior, *single_fault, *disabled, *sustained, *unexplained, *rest;

    Page(double *block, std::size_t size, std::size_t count)
        : posterior(block), single_fault(block + size), disabled(block + 2 * size),
          sustained(disabled + size * count), unexplained(sustained + size * count),
          rest(unexplained + count) {}

    static std::size_t length(std::size_t size, std::size_t count) {
        return 2 * size * (1 + count) + count + 3;
    }
};

// Trims rounding: 0 <= disabled <= sustained <= posterior <= 1. False if that takes more than
// `most`, relative to max(trimmed, floor).
struct Trimming {
    double floor, most;

    bool trim(double &value, double highest) const {
        const double trimmed = std::min(std::max(value, 0.0), highest);
        const bool little = std::abs(value - trimmed) <= most * std::max(trimmed, floor);
        value = trimmed;
        return little;
    }
};

// What the answers to a case are held to.
struct Demands {
    double floor, trim;       // see Trimming
    double cells;             // that COVER may go through
    double goal, operations;  // rounding error and price of summing risk factors out
};

class Cases {
  public:
    Cases(const Prepared &network, const Demands &demands) : network(network), demands(demands) {}

    char answer(const Given &given, double *block) {
        if (network.contradicts(given)) return UNANSWERED;
        network.fold(given, room);
        const Page page(block, network.diseases(), given.present.shape(0));
        return room.coupling.empty() ? settled(given, page) : coupled(given, page);
    }

  private:
    const Prepared &network;
    const Demands demands;
    Reduced room;  // from one case to the next

    char settled(const Given &given, const Page &page) {
        const std::size_t height = room.rows.size(), count = room.leak.size();
        const int doublings = int(std::min<std::size_t>(count, 1000));
        if (std::ldexp(double(height), doublings) > demands.cells) return UNANSWERED;
        for (std::size_t row = 0; row < height; ++row) {
            room.off[row] *= room.weight_off[row];
            room.on[row] *= room.weight_on[row];
        }
        const settled::Settled problem{height,           count,
                                       room.off.data(),  room.on.data(),
                                       room.acts.data(), room.fails.data(),
                                       room.leak.data(), room.leak_fails.data()};
        return spread(given, settled::cover(problem, Stopwatch(0.0)), demands.trim, page) ? SETTLED
                                                                                 : UNANSWERED;
    }

    char coupled(const Given &given, const Page &page) {
        network.couple(room);
        const coupled::Coupled problem{
            room.rows.size(),
            room.leak.size(),
            room.risks.size(),
            room.edge_risk.size(),
            room.on.data(),
            room.off.data(),
            room.weight_on.data(),
            room.weight_off.data(),
            reinterpret_cast<const bool *>(room.direct.data()),
            room.acts.data(),
            room.fails.data(),
            room.leak.data(),
            room.leak_fails.data(),
            room.prior.data(),
            room.edge_risk.data(),
            room.edge_row.data(),
            room.edge_acts.data(),
            room.edge_fails.data()};
        const coupled::EliminationPlan plan(problem);
        const auto out = coupled::eliminate(problem, plan, demands.goal, demands.operations,
                                            Stopwatch(0.0));
        if (!out) return UNANSWERED;
        page.rest[1] = out->rounding;
        page.rest[2] = out->condition;
        const double trim = std::max(demands.trim, out->rounding);
        return spread(given, out->answer, trim, page) ? COUPLED : UNANSWERED;
    }

    // The tables of the rows over all diseases; false where there is no lawful answer.
    bool spread(const Given &given, const Answer &tables, double trim, const Page &page) const {
        page.rest[0] = tables.log_evidence + room.log_scale;
        if (!std::isfinite(page.rest[0])) return false;
        const Trimming trimming{demands.floor, trim};
        const std::size_t count = room.leak.size();
        network.elsewhere(room, page.posterior);
        network.single_fault(given, room, page.single_fault);
        std::fill(page.disabled, page.unexplained, 0.0);
        bool lawful = true;
        for (std::size_t row = 0; row < room.rows.size(); ++row) {
            const std::size_t k = room.rows[row];
            double posterior = tables.posterior[row];
            lawful &= trimming.trim(posterior, 1.0);
            page.posterior[k] = posterior;
            for (std::size_t s = 0; s < count; ++s) {
                double sustained = tables.sustained[row * count + s];
                double disabled = tables.disabled[row * count + s];
                lawful &= trimming.trim(sustained, posterior);
                lawful &= trimming.trim(disabled, sustained);
                page.sustained[k * count + s] = sustained;
                page.disabled[k * count + s] = disabled;
            }
        }
        for (std::size_t s = 0; s < count; ++s)
            page.unexplained[s] = std::min(std::max(tables.unexplained[s], 0.0), 1.0);
        return lawful;
    }
};

template <typename A> A taken(const char *name, nb::handle object) {
    A array;
    if (!nb::try_cast(object, array)) refuse(std::string(name) + " is not an array of its kind");
    return array;
}

nb::bytes answer_all(const Prepared &network, const nb::list &evidence, const nb::list &blocks,
                     double floor, double trim, double cells, double goal, double operations) {
    const std::size_t cases = evidence.size();
    if (blocks.size() != cases) refuse("every case needs a block");
    std::vector<Given> given;
    std::vector<Block> pages;
    for (std::size_t i = 0; i < cases; ++i) {
        const nb::handle one = evidence[i];
        const auto part = [&](const char *name) { return taken<Indices>(name, one.attr(name)); };
        given.push_back({part("present"), part("absent"), part("risks_on"), part("risks_off"),
                         taken<Vector>("likelihood", one.attr("likelihood"))});
        network.check(given.back());
        pages.push_back(taken<Block>("block", blocks[i]));
        need_shape("block", pages.back(),
                   {Page::length(network.diseases(), given.back().present.shape(0))});
    }
    std::string outcomes(cases, UNANSWERED);
    {
        nb::gil_scoped_release free;
        Cases all(network, {floor, trim, cells, goal, operations});
        for (std::size_t i = 0; i < cases; ++i)
            outcomes[i] = all.answer(given[i], pages[i].data());
    }
    return nb::bytes(outcomes.data(), outcomes.size());
}

}  // namespace
}  // namespace hickam

void bind_cases(nanobind::module_ &module) {
    module.def("answer_all", &hickam::answer_all,
               "Writes the beliefs of cases with few findings into blocks; for every case 0 where it "
               "is settled, 1 where risk factors couple diseases, or 2 where neither COVER nor "
               "summing out risk factors can answer within the cells, rounding error and "
               "operations allowed.");
}
