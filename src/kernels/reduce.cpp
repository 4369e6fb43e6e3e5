// One case on one network, reduced exactly to the part that the answer depends on: the compiled
// twin of reduce.py and single_fault.py. What does not depend on the case is computed once.
#include "reduce.hpp"

#include <algorithm>

namespace hickam {
namespace {

double log_fails(double acts, double fails) {
    return acts < 0.5 ? std::log1p(-acts) : std::log(fails);
}

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

}  // namespace

Prepared::Prepared(nb::handle network)
    : risk_prior(copied<double>(network, "risk_prior")),
      finding_leak(copied<double>(network, "finding_leak")),
      finding_leak_fails(copied<double>(network, "finding_leak_fails")) {
    const auto leak = copied<double>(network, "disease_leak");
    const auto fails = copied<double>(network, "disease_leak_fails");
    need_equal("disease_leak_fails", fails, "disease_leak", leak);
    need_equal("finding_leak_fails", finding_leak_fails, "finding_leak", finding_leak);
    causes = links_of(network.attr("causes"), risk_prior.size(), leak.size());
    effects = links_of(network.attr("effects"), leak.size(), finding_leak.size());
    for (std::size_t k = 0; k < leak.size(); ++k) {
        log_leak.push_back(log_fails(leak[k], fails[k]));
        leaks.add(log_leak[k]);
        on_alone.push_back(-std::expm1(log_leak[k]));
        log_on_alone.push_back(std::log(on_alone[k]));
    }
    for (std::size_t s = 0; s < finding_leak.size(); ++s) {
        log_finding_leak.push_back(log_fails(finding_leak[s], finding_leak_fails[s]));
        log_finding_alone.push_back(std::log(finding_leak[s]));
    }
    for (std::size_t e = 0; e < causes.cause.size(); ++e)
        log_mean.push_back(std::log1p(-risk_prior[causes.cause[e]] * causes.acts[e]));
    for (std::size_t e = 0; e < effects.cause.size(); ++e) {
        const std::size_t s = effects.effect[e];
        log_chance.push_back(std::log(finding_leak[s] + finding_leak_fails[s] * effects.acts[e]));
    }
    prepare_single_fault();
}

void Prepared::prepare_single_fault() {
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

void Prepared::check(const Given &given) const {
    need_indices("present", given.present, finding_leak.size());
    need_indices("absent", given.absent, finding_leak.size());
    need_indices("risks_on", given.risks_on, risk_prior.size());
    need_indices("risks_off", given.risks_off, risk_prior.size());
    need_shape("likelihood", given.likelihood, {log_leak.size()});
}

void Prepared::single_fault(const Given &given, const Reduced &found, double *into) const {
    const std::size_t size = log_leak.size();
    const Indices &present = given.present;
    Sum risks;
    std::vector<double> whole(risk_prior.size());
    for (std::size_t j = 0; j < risk_prior.size(); ++j) {
        whole[j] = found.risk[j] < 0   ? 0.0
                   : found.risk[j] > 0 ? log_everyone[j]
                                       : log_mixed_all[j];
        risks.add(whole[j]);
    }
    std::vector<Sum> rest(size, risks);
    std::vector<double> stay(log_leak);
    for (std::size_t e = 0; e < causes.cause.size(); ++e) {
        const std::size_t j = causes.cause[e], k = causes.effect[e];
        if (whole[j] == -INFINITY) --rest[k].dead;
        else rest[k].finite -= whole[j];
        if (found.risk[j] < 0) continue;
        rest[k].add(found.risk[j] > 0 ? log_others[e] : log_mixed[e]);
        if (found.risk[j] == 0) stay[k] += log_spared[e];
        else if (log_others[e] > -INFINITY) stay[k] += causes.log_fails[e];
    }
    std::vector<double> log_present(size, 0.0);
    double base = 0.0;
    std::vector<int> linked(size, 0);
    for (std::size_t i = 0; i < present.shape(0); ++i) {
        const long long s = present.data()[i];
        const double alone = log_finding_alone[s];
        if (alone == -INFINITY)  // only a linked disease can explain it
            for (std::size_t k = 0; k < size; ++k) linked[k] -= 1;
        else base += alone;
        for (long long l = effects.effect_start[s]; l < effects.effect_start[s + 1]; ++l) {
            const long long e = effects.by_effect[l];
            const std::size_t k = effects.cause[e];
            if (alone == -INFINITY) {
                if (effects.acts[e] > 0.0) linked[k] += 1;
                log_present[k] += log_chance[e];
            } else {
                log_present[k] += log_chance[e] - alone;
            }
        }
    }
    double peak = -INFINITY;
    for (std::size_t k = 0; k < size; ++k) {
        Sum others = leaks;
        if (log_leak[k] == -INFINITY) --others.dead;
        else others.finite -= log_leak[k];
        const double log_on =
            stay[k] == log_leak[k] ? log_on_alone[k] : std::log(-std::expm1(stay[k]));
        into[k] = linked[k] < 0 ? -INFINITY
                                : log_on + others.value() + rest[k].value() + base +
                                      log_present[k] + found.log_weight[k];
        if (std::isnan(into[k])) into[k] = -INFINITY;
        peak = std::max(peak, into[k]);
    }
    double total = 0.0;
    for (std::size_t k = 0; k < size; ++k) {
        into[k] = peak > -INFINITY ? std::exp(into[k] - peak) : 0.0;
        total += into[k];
    }
    if (total > 0.0)
        for (std::size_t k = 0; k < size; ++k) into[k] /= total;
}

void Prepared::elsewhere(const Reduced &found, double *into) const {
    for (std::size_t k = 0; k < log_leak.size(); ++k)
        into[k] =
            found.log_off[k] == log_leak[k] ? on_alone[k] : -std::expm1(found.log_off[k]);
}

bool Prepared::contradicts(const Given &given) const {
    const auto never = [&](const Indices &observed, double prior) {
        for (std::size_t i = 0; i < observed.shape(0); ++i)
            if (risk_prior[observed.data()[i]] == prior) return true;
        return false;
    };
    return never(given.risks_on, 0.0) || never(given.risks_off, 1.0);
}

void Prepared::fold(const Given &given, Reduced &found) const {
    const std::size_t size = log_leak.size(), count = given.present.shape(0);
    auto &risk = found.risk;
    risk.assign(risk_prior.size(), 0);
    for (std::size_t i = 0; i < given.risks_on.shape(0); ++i) risk[given.risks_on.data()[i]] = 1;
    for (std::size_t i = 0; i < given.risks_off.shape(0); ++i) risk[given.risks_off.data()[i]] = -1;
    found.log_weight.resize(size);
    found.reached.resize(size);
    for (std::size_t k = 0; k < size; ++k) {
        const double ratio = given.likelihood.data()[k];
        found.log_weight[k] = ratio == 1.0 ? 0.0 : std::log(ratio);
        found.reached[k] = ratio != 1.0;
    }
    found.log_scale = 0.0;
    const auto visit = [&](const Indices &findings, bool denied) {
        for (std::size_t i = 0; i < findings.shape(0); ++i) {
            const long long s = findings.data()[i];
            if (denied) found.log_scale += log_finding_leak[s];
            for (long long l = effects.effect_start[s]; l < effects.effect_start[s + 1]; ++l) {
                const long long e = effects.by_effect[l];
                if (denied) found.log_weight[effects.cause[e]] += effects.log_fails[e];
                if (effects.acts[e] > 0.0) found.reached[effects.cause[e]] = 1;
            }
        }
    };
    visit(given.absent, true);
    visit(given.present, false);

    found.touched.assign(risk.size(), 0);
    found.total.assign(risk.size(), 0);
    for (std::size_t e = 0; e < causes.cause.size(); ++e) {
        if (risk[causes.cause[e]] != 0 || !(causes.acts[e] > 0.0)) continue;
        ++found.total[causes.cause[e]];
        found.touched[causes.cause[e]] += found.reached[causes.effect[e]];
    }
    found.log_off.assign(log_leak.begin(), log_leak.end());
    found.coupled.assign(size, 0);
    found.coupling.clear();
    for (std::size_t e = 0; e < causes.cause.size(); ++e) {
        const std::size_t j = causes.cause[e], k = causes.effect[e];
        if (risk[j] > 0) found.log_off[k] += causes.log_fails[e];
        if (risk[j] != 0 || !(causes.acts[e] > 0.0)) continue;
        if (found.touched[j] >= 1 && found.total[j] >= 2) {
            found.coupling.push_back(e);
            found.coupled[k] = 1;
        } else {
            found.log_off[k] += log_mean[e];
        }
    }
    found.rows.clear();
    found.row_of.assign(size, -1);
    for (const bool direct : {true, false})
        for (std::size_t k = 0; k < size; ++k)
            if (direct ? found.reached[k] : found.coupled[k] && !found.reached[k]) {
                found.row_of[k] = (long long)found.rows.size();
                found.rows.push_back((long long)k);
            }
    const std::size_t height = found.rows.size();
    found.on.resize(height);
    found.off.resize(height);
    found.weight_on.resize(height);
    found.weight_off.resize(height);
    for (std::size_t row = 0; row < height; ++row) {
        const long long k = found.rows[row];
        const double log_weight = found.log_weight[k], shift = std::max(log_weight, 0.0);
        found.log_scale += shift;
        const bool alone = found.log_off[k] == log_leak[k];
        found.on[row] = alone ? on_alone[k] : -std::expm1(found.log_off[k]);
        found.off[row] = std::exp(found.log_off[k]);
        found.weight_on[row] = log_weight == 0.0 ? 1.0 : std::exp(log_weight - shift);
        found.weight_off[row] = shift == 0.0 ? 1.0 : std::exp(-shift);
    }
    found.acts.assign(height * count, 0.0);
    found.fails.assign(height * count, 1.0);
    found.leak.resize(count);
    found.leak_fails.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const long long s = given.present.data()[i];
        found.leak[i] = finding_leak[s];
        found.leak_fails[i] = finding_leak_fails[s];
        for (long long l = effects.effect_start[s]; l < effects.effect_start[s + 1]; ++l) {
            const long long e = effects.by_effect[l], row = found.row_of[effects.cause[e]];
            if (row < 0) continue;
            found.acts[row * count + i] = effects.acts[e];
            found.fails[row * count + i] = effects.fails[e];
        }
    }
}

void Prepared::couple(Reduced &found) const {
    found.risk_of.assign(risk_prior.size(), -1);
    found.risks.clear(), found.prior.clear(), found.direct.clear();
    found.edge_risk.clear(), found.edge_row.clear();
    found.edge_acts.clear(), found.edge_fails.clear();
    for (std::size_t e : found.coupling) {
        const std::size_t j = causes.cause[e];
        if (found.risk_of[j] < 0) {
            found.risk_of[j] = (long long)found.risks.size();
            found.risks.push_back((long long)j);
            found.prior.push_back(risk_prior[j]);
        }
        found.edge_risk.push_back(found.risk_of[j]);
        found.edge_row.push_back(found.row_of[causes.effect[e]]);
        found.edge_acts.push_back(causes.acts[e]);
        found.edge_fails.push_back(causes.fails[e]);
    }
    for (long long k : found.rows) found.direct.push_back(found.reached[k]);
}

nb::dict Prepared::reduce(const Indices &present, const Indices &absent, const Indices &risks_on,
                          const Indices &risks_off, const Vector &likelihood, bool baseline) const {
    const Given given{present, absent, risks_on, risks_off, likelihood};
    check(given);
    Reduced found;
    fold(given, found);
    couple(found);
    nb::dict arrays;
    if (baseline) {
        std::vector<double> only(log_leak.size());
        single_fault(given, found, only.data());
        arrays["single_fault"] = owned(std::move(only));
    }
    std::vector<double> spread(log_leak.size());
    elsewhere(found, spread.data());
    const std::size_t height = found.rows.size(), count = present.shape(0);
    arrays["rows"] = owned(std::move(found.rows));
    arrays["reached"] = owned(std::vector<unsigned char>(found.direct.begin(), found.direct.end()));
    arrays["on"] = owned(std::move(found.on));
    arrays["off"] = owned(std::move(found.off));
    arrays["weight_on"] = owned(std::move(found.weight_on));
    arrays["weight_off"] = owned(std::move(found.weight_off));
    arrays["acts"] = owned(std::move(found.acts), height, count);
    arrays["fails"] = owned(std::move(found.fails), height, count);
    arrays["leak"] = owned(std::move(found.leak));
    arrays["leak_fails"] = owned(std::move(found.leak_fails));
    arrays["risks"] = owned(std::move(found.risks));
    arrays["risk_prior"] = owned(std::move(found.prior));
    arrays["edge_risk"] = owned(std::move(found.edge_risk));
    arrays["edge_row"] = owned(std::move(found.edge_row));
    arrays["edge_acts"] = owned(std::move(found.edge_acts));
    arrays["edge_fails"] = owned(std::move(found.edge_fails));
    arrays["log_scale"] = found.log_scale;
    arrays["elsewhere"] = owned(std::move(spread));
    return arrays;
}

}  // namespace hickam

void bind_reduce(nanobind::module_ &module) {
    namespace nb = nanobind;
    nb::class_<hickam::Prepared>(module, "Prepared")
        .def(nb::init<nb::handle>())
        .def("reduce", &hickam::Prepared::reduce,
             "The arrays of the problem that a case poses, and its single-fault posterior.");
}
