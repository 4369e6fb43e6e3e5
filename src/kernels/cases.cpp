// Many settled cases in one call: each reduced, swept by COVER and spread over all diseases, with
// Python's lock released for all of them together.
#include "reduce.hpp"
#include "settled.hpp"

#include <algorithm>

namespace hickam {
namespace {

using Block = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// What became of a case.
constexpr char ANSWERED = 0, COUPLED = 1, UNANSWERED = 2;

// A block holds, one after the other, the posterior and the single-fault posterior [disease],
// disabled and sustained [disease, present], unexplained [present] and the log evidence.
struct Page {
    double *posterior, *single_fault, *disabled, *sustained, *unexplained, *log_evidence;

    Page(double *block, std::size_t size, std::size_t count)
        : posterior(block), single_fault(block + size), disabled(block + 2 * size),
          sustained(disabled + size * count), unexplained(sustained + size * count),
          log_evidence(unexplained + count) {}

    static std::size_t length(std::size_t size, std::size_t count) {
        return 2 * size * (1 + count) + count + 1;
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

char answer(const Prepared &network, const Given &given, const Trimming &trimming, double cells,
            double *block, Reduced &room) {
    const std::size_t size = network.diseases(), count = given.present.shape(0);
    if (!network.fold(given, true, room)) return COUPLED;
    const std::size_t height = room.rows.size();
    if (std::ldexp(double(height), int(std::min<std::size_t>(count, 1000))) > cells)
        return UNANSWERED;
    for (std::size_t row = 0; row < height; ++row) {
        room.off[row] *= room.weight_off[row];
        room.on[row] *= room.weight_on[row];
    }
    const settled::Settled problem{height,           count,
                                   room.off.data(),  room.on.data(),
                                   room.acts.data(), room.fails.data(),
                                   room.leak.data(), room.leak_fails.data()};
    const Answer tables = settled::cover(problem, Stopwatch(0.0));
    if (!std::isfinite(tables.log_evidence)) return UNANSWERED;
    const Page page(block, size, count);
    network.elsewhere(room, page.posterior);
    network.single_fault(given, room, page.single_fault);
    std::fill(page.disabled, page.unexplained, 0.0);
    bool lawful = true;
    for (std::size_t row = 0; row < height; ++row) {
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
    *page.log_evidence = tables.log_evidence + room.log_scale;
    return lawful ? ANSWERED : UNANSWERED;
}

template <typename A> A taken(const char *name, nb::handle object) {
    A array;
    if (!nb::try_cast(object, array)) refuse(std::string(name) + " is not an array of its kind");
    return array;
}

nb::bytes answer_all(const Prepared &network, const nb::list &evidence, const nb::list &blocks,
                     double floor, double most, double cells) {
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
        Reduced room;
        const Trimming trimming{floor, most};
        for (std::size_t i = 0; i < cases; ++i)
            outcomes[i] = answer(network, given[i], trimming, cells, pages[i].data(), room);
    }
    return nb::bytes(outcomes.data(), outcomes.size());
}

}  // namespace
}  // namespace hickam

void bind_cases(nanobind::module_ &module) {
    module.def("answer_all", &hickam::answer_all,
               "Writes the beliefs of settled cases into blocks; for every case 0, or 1 where "
               "risk factors couple diseases, or 2 where COVER cannot answer or would go through "
               "more than so many cells.");
}
