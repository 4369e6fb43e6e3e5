// Many cases with few findings in one call: each reduced, answered exactly by COVER or, where risk
// factors couple diseases, by summing them out, else by messages between them, and spread over all
// diseases, with Python's lock released for all of them together.
#include "coupled_elimination.hpp"
#include "coupled_explanations.hpp"
#include "reduce.hpp"
#include "settled.hpp"

#include <algorithm>

namespace hickam {
namespace {

using Block = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// What became of a case.
constexpr char SETTLED = 0, COUPLED = 1, UNANSWERED = 2, MESSAGES = 3, EXPLAINED = 4;

// A block holds, one after the other, the posterior and the single-fault posterior [disease],
// disabled and sustained [disease, present], unexplained [present], the log evidence; the rounding
// error and condition number of a coupled case; and of messages what is left in them, by how much
// their raw tables break their laws, and what their corrections leave out: of scores, of what is
// unexplained, of the log evidence, the corrections themselves, and what is unfounded.
constexpr std::size_t REST = 10;

struct Page {
    double *posterior, *single_fault, *disabled, *sustained, *unexplained, *rest;

    Page(double *block, std::size_t size, std::size_t count)
        : posterior(block), single_fault(block + size), disabled(block + 2 * size),
          sustained(disabled + size * count), unexplained(sustained + size * count),
          rest(unexplained + count) {}

    static std::size_t length(std::size_t size, std::size_t count) {
        return 2 * size * (1 + count) + count + REST;
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

// Where messages are passed, and where their answer needs no check: as vouched.py says.
struct Trust {
    double cells, edges;       // of messages: edges and rows on all subsets, and on one
    double frontier, loops;    // cells on all subsets, or loops, up to which the frontier may do
    double findings;           // at most
    coupled::Entangled entangled;
    double mild, frequent, twisted, fallible;
    double trifling, instead;  // operations of every explanation: in any case, for a cell of messages

    // Whether every explanation takes little, or not much more than messages.
    bool explains(const coupled::Coupled &p) const {
        const double work = 10.0 + double(p.edges) + double(p.rows);
        const double worth = instead * std::min(std::ldexp(work, int(p.columns)), cells);
        return coupled::price_explanations(p).operations <= std::max(trifling, worth);
    }

    bool affords(const coupled::Coupled &p, const coupled::EliminationPlan &plan) const {
        const double work = 10.0 + double(p.edges) + double(p.rows), count = double(p.columns);
        if (count > findings || work > edges || std::ldexp(work, int(count)) > cells) return false;
        if (!plan.cells) return speaking_loops(p) > loops;
        return std::ldexp(plan.cells, int(count)) > frontier;
    }

    // Whether nothing is nearly certain, and every finding may have no cause: evidence is possible.
    bool is_mild(const coupled::Coupled &p) const {
        std::vector<int> degree(p.rows, 0);
        for (std::size_t e = 0; e < p.edges; ++e) ++degree[p.edge_row[e]];
        for (std::size_t e = 0; e < p.edges; ++e) {
            const long long k = p.edge_row[e];
            if (p.reached[k] && degree[k] > 1 && p.edge_acts[e] > mild) return false;
        }
        for (std::size_t j = 0; j < p.risks; ++j)
            if (p.risk_prior[j] > frequent) return false;
        for (std::size_t k = 0; k < p.rows; ++k)
            if (p.off[k] < 1.0 - mild || p.weight_on[k] > twisted * p.weight_off[k]) return false;
        for (std::size_t i = 0; i < p.rows * p.columns; ++i)
            if (p.fails[i] < fallible) return false;
        for (std::size_t s = 0; s < p.columns; ++s)
            if (!(p.leak[s] > 0.0 && p.leak_fails[s] > 0.0)) return false;
        return true;
    }

  private:
    // Links between risk factors and reached rows beyond those of a tree.
    static double speaking_loops(const coupled::Coupled &p) {
        std::vector<char> row(p.rows, 0), risk(p.risks, 0);
        double links = 0.0;
        for (std::size_t e = 0; e < p.edges; ++e) {
            if (!p.reached[p.edge_row[e]]) continue;
            links += 1.0;
            row[p.edge_row[e]] = risk[p.edge_risk[e]] = 1;
        }
        for (char one : row) links -= one;
        for (char one : risk) links -= one;
        return links;
    }
};

// By how much 0 <= disabled <= sustained <= posterior <= 1 is broken, relative to max(score, floor).
double breach(const Answer &tables, double floor) {
    const std::size_t rows = tables.posterior.size(), count = tables.unexplained.size();
    double worst = 0.0;
    for (std::size_t row = 0; row < rows; ++row) {
        const double posterior = tables.posterior[row], scale = std::max(posterior, floor);
        worst = std::max({worst, (posterior - 1.0) / scale, -posterior / scale});
        for (std::size_t s = row * count; s < (row + 1) * count; ++s) {
            const double disabled = tables.disabled[s], sustained = tables.sustained[s];
            worst = std::max({worst, -disabled / scale, (sustained - posterior) / scale,
                              (disabled - sustained) / std::max(sustained, floor)});
        }
    }
    return worst;
}

class Cases {
  public:
    Cases(const Prepared &network, const Demands &demands, const Trust &trust)
        : network(network), demands(demands), trust(trust) {}

    char answer(const Given &given, double *block) {
        if (network.contradicts(given)) return UNANSWERED;
        network.fold(given, room);
        const Page page(block, network.diseases(), given.present.shape(0));
        return room.coupling.empty() ? settled(given, page) : coupled(given, page);
    }

  private:
    const Prepared &network;
    const Demands demands;
    const Trust trust;
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
        if (!out) {
            if (trust.explains(problem)) return explained(given, problem, page);
            return trust.affords(problem, plan) ? messages(given, problem, page) : UNANSWERED;
        }
        page.rest[1] = out->rounding;
        page.rest[2] = out->condition;
        const double trim = std::max(demands.trim, out->rounding);
        return spread(given, out->answer, trim, page) ? COUPLED : UNANSWERED;
    }

    char explained(const Given &given, const coupled::Coupled &problem, const Page &page) {
        const coupled::Outcome out = coupled::explanations(problem, Stopwatch(0.0));
        if (!std::isfinite(out.rounding)) return UNANSWERED;
        page.rest[1] = out.rounding;
        page.rest[2] = 1.0;
        return spread(given, out.answer, demands.trim, page) ? EXPLAINED : UNANSWERED;
    }

    // Python says whether what they leave out is little enough.
    char messages(const Given &given, const coupled::Coupled &problem, const Page &page) {
        if (!trust.is_mild(problem)) return UNANSWERED;
        const coupled::Outcome out =
            coupled::bethe(problem, demands.goal, Stopwatch(0.0), trust.entangled);
        if (!std::isfinite(out.rounding)) return UNANSWERED;
        const double told[] = {out.rounding,
                               out.condition,
                               out.residual,
                               breach(out.answer, demands.floor),
                               out.doubt,
                               out.doubt_unexplained,
                               out.doubt_evidence,
                               out.correction,
                               out.unfounded};
        std::copy(std::begin(told), std::end(told), page.rest + 1);
        return spread(given, out.answer, INFINITY, page) ? MESSAGES : UNANSWERED;
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
                     double floor, double trim, double cells, double goal, double operations,
                     nb::handle trusted) {
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
    const auto of = [&](const char *name) { return nb::cast<double>(trusted.attr(name)); };
    const Trust trust{of("cells"),
                      of("edges"),
                      of("frontier"),
                      of("loops"),
                      of("findings"),
                      {of("loose"), of("looser")},
                      of("mild"),
                      of("frequent"),
                      of("twisted"),
                      of("fallible"),
                      of("trifling"),
                      of("instead")};
    std::string outcomes(cases, UNANSWERED);
    {
        nb::gil_scoped_release free;
        Cases all(network, {floor, trim, cells, goal, operations}, trust);
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
               "is settled, 1 where risk factors couple diseases, 3 where they do and messages were "
               "passed because summing them out takes more than the rounding error and operations "
               "allowed, 4 where every explanation was gone through instead, or 2 where it has no "
               "answer: COVER would take more than the cells allowed, or messages are not to be "
               "trusted.");
}
