// One case on one network, reduced exactly to the part that the answer depends on: the compiled
// twin of reduce.py and single_fault.py. What does not depend on the case is computed once.
#include "seam.hpp"

#include <algorithm>
#include <cmath>

namespace hickam {
namespace {

double log_fails(double acts, double fails) {
    return acts < 0.5 ? std::log1p(-acts) : std::log(fails);
}

struct Links {
    std::vector<long long> cause, effect, effect_start, by_effect;
    std::vector<double> acts, fails, log_fails;
};

template <typename T> std::vector<T> copied(nb::handle object, const char *name) {
    Array<T, 1> array;
    if (!nb::try_cast(object.attr(name), array))
        refuse(std::string(name) + " is not a one-dimensional array of numbers");
    return std::vector<T>(array.data(), array.data() + array.shape(0));
}

template <typename T, typename U>
void need_equal(const char *name, const std::vector<T> &one, const char *other,
                const std::vector<U> &two) {
    if (one.size() != two.size())
        refuse(std::string(name) + " has " + std::to_string(one.size()) + " entries, but " + other +
               " has " + std::to_string(two.size()));
}

Links links_of(nb::handle object, std::size_t causes, std::size_t effects) {
    Links found{copied<long long>(object, "cause"),        copied<long long>(object, "effect"),
                copied<long long>(object, "effect_start"), copied<long long>(object, "by_effect"),
                copied<double>(object, "acts"),            copied<double>(object, "fails"),
                {}};
    const std::size_t edges = found.cause.size();
    need_equal("effect", found.effect, "cause", found.cause);
    need_equal("by_effect", found.by_effect, "cause", found.cause);
    need_equal("acts", found.acts, "cause", found.cause);
    need_equal("fails", found.fails, "cause", found.cause);
    need_indices("cause", found.cause.data(), edges, causes);
    need_indices("effect", found.effect.data(), edges, effects);
    need_indices("by_effect", found.by_effect.data(), edges, edges);
    if (found.effect_start.size() != effects + 1)
        refuse("effect_start has " + std::to_string(found.effect_start.size()) +
               " entries, but one more than the " + std::to_string(effects) +
               " effects are needed");
    need_indices("effect_start", found.effect_start.data(), effects + 1, edges + 1, true);
    for (std::size_t e = 0; e < edges; ++e)
        found.log_fails.push_back(log_fails(found.acts[e], found.fails[e]));
    return found;
}

// A sum in which -inf can be taken back out.
struct Sum {
    double finite = 0.0;
    int dead = 0;
    void add(double value) {
        if (value == -INFINITY) ++dead;
        else finite += value;
    }
    double value() const { return dead ? -INFINITY : finite; }
};

}  // namespace

// Python knows a class by its C++ name: the builds of the kernels must not share it.
inline namespace HICKAM_MODULE {

class Prepared {
  public:
    explicit Prepared(nb::handle network)
        : risk_prior(copied<double>(network, "risk_prior")),
          finding_leak(copied<double>(network, "finding_leak")),
          finding_leak_fails(copied<double>(network, "finding_leak_fails")) {
        const auto leak = copied<double>(network, "disease_leak");
        const auto fails = copied<double>(network, "disease_leak_fails");
        need_equal("disease_leak_fails", fails, "disease_leak", leak);
        need_equal("finding_leak_fails", finding_leak_fails, "finding_leak", finding_leak);
        causes = links_of(network.attr("causes"), risk_prior.size(), leak.size());
        effects = links_of(network.attr("effects"), leak.size(), finding_leak.size());
        for (std::size_t k = 0; k < leak.size(); ++k)
            log_leak.push_back(log_fails(leak[k], fails[k]));
        for (std::size_t s = 0; s < finding_leak.size(); ++s)
            log_finding_leak.push_back(log_fails(finding_leak[s], finding_leak_fails[s]));
        prepare_single_fault();
    }

    nb::dict reduce(const Indices &present, const Indices &absent, const Indices &risks_on,
                    const Indices &risks_off, const Vector &likelihood, bool baseline) const;

  private:
    Links causes, effects;
    std::vector<double> risk_prior, finding_leak, finding_leak_fails, log_leak, log_finding_leak;
    // per edge (j, k), for the single fault: log P(every disease but k stays off through j | j on),
    // the log of its mean over j, and log P(j does not cause k | all others off)
    std::vector<double> log_others, log_mixed, log_spared;
    std::vector<double> log_everyone, log_mixed_all;  // per risk factor, k included

    void prepare_single_fault() {
        std::vector<Sum> all(risk_prior.size());
        for (std::size_t e = 0; e < causes.cause.size(); ++e)
            all[causes.cause[e]].add(causes.log_fails[e]);
        for (std::size_t e = 0; e < causes.cause.size(); ++e) {
            Sum others = all[causes.cause[e]];
            if (causes.log_fails[e] == -INFINITY) --others.dead;
            else others.finite -= causes.log_fails[e];
            log_others.push_back(others.value());
            const double p = risk_prior[causes.cause[e]], rest = std::exp(others.value());
            const double mixed = 1.0 - p + p * rest;
            log_mixed.push_back(std::log(mixed));
            log_spared.push_back(mixed > 0.0 ? std::log1p(-p * rest / mixed * causes.acts[e]) : 0.0);
        }
        for (std::size_t j = 0; j < risk_prior.size(); ++j) {
            log_everyone.push_back(all[j].value());
            log_mixed_all.push_back(
                std::log(1.0 - risk_prior[j] + risk_prior[j] * std::exp(all[j].value())));
        }
    }

    std::vector<double> single_fault(const Indices &present, const std::vector<signed char> &risk,
                                     const std::vector<double> &log_weight) const;
};

}  // namespace HICKAM_MODULE

std::vector<double> Prepared::single_fault(const Indices &present,
                                           const std::vector<signed char> &risk,
                                           const std::vector<double> &log_weight) const {
    const std::size_t size = log_leak.size();
    Sum risks;
    std::vector<double> whole(risk_prior.size());
    for (std::size_t j = 0; j < risk_prior.size(); ++j) {
        whole[j] = risk[j] < 0 ? 0.0 : risk[j] > 0 ? log_everyone[j] : log_mixed_all[j];
        risks.add(whole[j]);
    }
    std::vector<Sum> rest(size, risks);
    std::vector<double> stay(log_leak);
    for (std::size_t e = 0; e < causes.cause.size(); ++e) {
        const std::size_t j = causes.cause[e], k = causes.effect[e];
        if (whole[j] == -INFINITY) --rest[k].dead;
        else rest[k].finite -= whole[j];
        if (risk[j] < 0) continue;
        rest[k].add(risk[j] > 0 ? log_others[e] : log_mixed[e]);
        if (risk[j] == 0) stay[k] += log_spared[e];
        else if (log_others[e] > -INFINITY) stay[k] += causes.log_fails[e];
    }
    Sum leaks;
    for (double value : log_leak) leaks.add(value);
    std::vector<double> log_present(size, 0.0);
    double base = 0.0;
    std::vector<int> linked(size, 0);
    for (std::size_t i = 0; i < present.shape(0); ++i) {
        const long long s = present.data()[i];
        const double alone = std::log(finding_leak[s]);
        base += alone;
        if (alone == -INFINITY)  // only a linked disease can explain it
            for (std::size_t k = 0; k < size; ++k) linked[k] -= 1;
        for (long long i = effects.effect_start[s]; i < effects.effect_start[s + 1]; ++i) {
            const long long e = effects.by_effect[i];
            const std::size_t k = effects.cause[e];
            const double chance =
                std::log(finding_leak[s] + finding_leak_fails[s] * effects.acts[e]);
            if (alone == -INFINITY) {
                if (effects.acts[e] > 0.0) linked[k] += 1;
                log_present[k] += chance;
            } else {
                log_present[k] += chance - alone;
            }
        }
    }
    if (base == -INFINITY) {
        base = 0.0;
        for (std::size_t i = 0; i < present.shape(0); ++i)
            if (finding_leak[present.data()[i]] > 0.0)
                base += std::log(finding_leak[present.data()[i]]);
    }
    std::vector<double> weight(size);
    double peak = -INFINITY;
    for (std::size_t k = 0; k < size; ++k) {
        Sum others = leaks;
        if (log_leak[k] == -INFINITY) --others.dead;
        else others.finite -= log_leak[k];
        const double log_on = std::log(-std::expm1(stay[k]));
        weight[k] = linked[k] < 0 ? -INFINITY
                                  : log_on + others.value() + rest[k].value() + base +
                                        log_present[k] + log_weight[k];
        if (std::isnan(weight[k])) weight[k] = -INFINITY;
        peak = std::max(peak, weight[k]);
    }
    double total = 0.0;
    for (double &value : weight) {
        value = peak > -INFINITY ? std::exp(value - peak) : 0.0;
        total += value;
    }
    if (total > 0.0)
        for (double &value : weight) value /= total;
    return weight;
}

nb::dict Prepared::reduce(const Indices &present, const Indices &absent, const Indices &risks_on,
                          const Indices &risks_off, const Vector &likelihood, bool baseline) const {
    const std::size_t size = log_leak.size(), count = present.shape(0);
    need_indices("present", present, finding_leak.size());
    need_indices("absent", absent, finding_leak.size());
    need_indices("risks_on", risks_on, risk_prior.size());
    need_indices("risks_off", risks_off, risk_prior.size());
    need_shape("likelihood", likelihood, {size});
    std::vector<signed char> risk(risk_prior.size(), 0);  // 1: observed on, -1: off, 0: unobserved
    for (std::size_t i = 0; i < risks_on.shape(0); ++i) risk[risks_on.data()[i]] = 1;
    for (std::size_t i = 0; i < risks_off.shape(0); ++i) risk[risks_off.data()[i]] = -1;
    std::vector<double> log_weight(size);
    std::vector<char> reached(size);
    for (std::size_t k = 0; k < size; ++k) {
        const double ratio = likelihood.data()[k];
        log_weight[k] = ratio == 1.0 ? 0.0 : std::log(ratio);
        reached[k] = ratio != 1.0;
    }
    double log_scale = 0.0;
    const auto visit = [&](const Indices &findings, bool denied) {
        for (std::size_t i = 0; i < findings.shape(0); ++i) {
            const long long s = findings.data()[i];
            if (denied) log_scale += log_finding_leak[s];
            for (long long l = effects.effect_start[s]; l < effects.effect_start[s + 1]; ++l) {
                const long long e = effects.by_effect[l];
                if (denied) log_weight[effects.cause[e]] += effects.log_fails[e];
                if (effects.acts[e] > 0.0) reached[effects.cause[e]] = 1;
            }
        }
    };
    visit(absent, true);
    visit(present, false);

    std::vector<int> touched(risk.size()), total(risk.size());
    for (std::size_t e = 0; e < causes.cause.size(); ++e) {
        if (risk[causes.cause[e]] != 0 || !(causes.acts[e] > 0.0)) continue;
        ++total[causes.cause[e]];
        touched[causes.cause[e]] += reached[causes.effect[e]];
    }
    std::vector<double> log_off(log_leak);
    std::vector<char> coupled(size);
    std::vector<std::size_t> kept;
    for (std::size_t e = 0; e < causes.cause.size(); ++e) {
        const std::size_t j = causes.cause[e], k = causes.effect[e];
        if (risk[j] > 0) log_off[k] += causes.log_fails[e];
        if (risk[j] != 0 || !(causes.acts[e] > 0.0)) continue;
        if (touched[j] >= 1 && total[j] >= 2) {
            kept.push_back(e);
            coupled[k] = 1;
        } else {
            log_off[k] += std::log1p(-risk_prior[j] * causes.acts[e]);
        }
    }
    std::vector<long long> rows, row_of(size, -1);
    for (const bool direct : {true, false})
        for (std::size_t k = 0; k < size; ++k)
            if (direct ? reached[k] : coupled[k] && !reached[k]) {
                row_of[k] = (long long)rows.size();
                rows.push_back((long long)k);
            }
    std::vector<double> on, off, weight_on, weight_off, elsewhere(size);
    std::vector<char> direct;
    for (long long k : rows) {
        const double shift = std::max(log_weight[k], 0.0);
        log_scale += shift;
        on.push_back(-std::expm1(log_off[k]));
        off.push_back(std::exp(log_off[k]));
        weight_on.push_back(std::exp(log_weight[k] - shift));
        weight_off.push_back(std::exp(-shift));
        direct.push_back(reached[k]);
    }
    for (std::size_t k = 0; k < size; ++k) elsewhere[k] = -std::expm1(log_off[k]);
    std::vector<double> acts(rows.size() * count, 0.0), fails(rows.size() * count, 1.0);
    std::vector<double> leak, leak_fails;
    for (std::size_t i = 0; i < count; ++i) {
        const long long s = present.data()[i];
        leak.push_back(finding_leak[s]);
        leak_fails.push_back(finding_leak_fails[s]);
        for (long long l = effects.effect_start[s]; l < effects.effect_start[s + 1]; ++l) {
            const long long e = effects.by_effect[l], row = row_of[effects.cause[e]];
            if (row < 0) continue;
            acts[row * count + i] = effects.acts[e];
            fails[row * count + i] = effects.fails[e];
        }
    }
    std::vector<long long> risks, risk_of(risk.size(), -1), edge_risk, edge_row;
    std::vector<double> prior, edge_acts, edge_fails;
    for (std::size_t e : kept) {
        const std::size_t j = causes.cause[e];
        if (risk_of[j] < 0) {
            risk_of[j] = (long long)risks.size();
            risks.push_back((long long)j);
            prior.push_back(risk_prior[j]);
        }
        edge_risk.push_back(risk_of[j]);
        edge_row.push_back(row_of[causes.effect[e]]);
        edge_acts.push_back(causes.acts[e]);
        edge_fails.push_back(causes.fails[e]);
    }
    nb::dict found;
    const std::size_t height = rows.size();
    if (baseline) found["single_fault"] = owned(single_fault(present, risk, log_weight));
    found["rows"] = owned(std::move(rows));
    std::vector<unsigned char> flags(direct.begin(), direct.end());
    found["reached"] = owned(std::move(flags));
    found["on"] = owned(std::move(on));
    found["off"] = owned(std::move(off));
    found["weight_on"] = owned(std::move(weight_on));
    found["weight_off"] = owned(std::move(weight_off));
    found["acts"] = owned(std::move(acts), height, count);
    found["fails"] = owned(std::move(fails), height, count);
    found["leak"] = owned(std::move(leak));
    found["leak_fails"] = owned(std::move(leak_fails));
    found["risks"] = owned(std::move(risks));
    found["risk_prior"] = owned(std::move(prior));
    found["edge_risk"] = owned(std::move(edge_risk));
    found["edge_row"] = owned(std::move(edge_row));
    found["edge_acts"] = owned(std::move(edge_acts));
    found["edge_fails"] = owned(std::move(edge_fails));
    found["log_scale"] = log_scale;
    found["elsewhere"] = owned(std::move(elsewhere));
    return found;
}

}  // namespace hickam

void bind_reduce(nanobind::module_ &module) {
    namespace nb = nanobind;
    nb::class_<hickam::Prepared>(module, "Prepared")
        .def(nb::init<nb::handle>())
        .def("reduce", &hickam::Prepared::reduce,
             "The arrays of the problem that a case poses, and its single-fault posterior.");
}
