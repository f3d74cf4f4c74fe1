#include "spinney/evolve/search.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "spinney/divisor.hpp"

namespace spinney {

namespace {

/// The same as random.below(n.value()).
std::uint64_t below(const Divisor& n, RandomStream& random) {
  for (;;) {
    const std::uint64_t draw = random.next(), left = n.left_of(draw);
    if (draw - left <= ~std::uint64_t{0} - n.value()) return left;
  }
}

/// Each gene counts by its place, so that their products need not wait for each other.
std::uint64_t hash_of(const Genes& genes) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  std::uint64_t hash = genes.size(), place = kStep;
  for (const Gene& gene : genes) {
    const std::uint64_t value = std::bit_cast<std::uint64_t>(gene.value);
    hash += (value ^ (value >> 32) ^ (static_cast<std::uint64_t>(gene.symbol) << 20)) * place;
    place += 2 * kStep;  // stays odd
  }
  return mix_bits(hash);
}

/// Programs by what they are: finds the place of the first of equals.
class Register {
 public:
  explicit Register(std::size_t n) : slots_(std::bit_ceil(2 * n + 1)) {}
  /// An equal program that was told of before; null, and the program is remembered, if there is none.
  const Individual* find_or_add(const Individual& one) {
    for (std::size_t slot = one.hash;; ++slot) {
      Slot& found = slots_[slot & (slots_.size() - 1)];
      if (!found.one) {
        found = {one.hash, &one};
        return nullptr;
      }
      if (found.hash == one.hash && found.one->genes == one.genes) return found.one;
    }
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    const Individual* one = nullptr;
  };
  std::vector<Slot> slots_;
};

}  // namespace

struct Search::Worker {
  explicit Worker(const Calls* calls) : evaluator(calls) {}
  Evaluator evaluator;
  std::vector<Token> tokens;
  Truth truth;
  std::vector<double> scratch;
};

Search::Search(const Language& language, const EvolveParams& params, const NodeColumns& columns, const Fitness& fitness,
               std::uint64_t seed)
    : language_(language), params_(params), columns_(columns), fitness_(fitness), seed_(seed) {}
Search::~Search() = default;

std::string Search::problem_of(const SearchState& state) const {
  const auto size = static_cast<std::size_t>(params_.population_size);
  const bool begun = state.generation > 0;
  if (state.generation < 0 || state.generation >= params_.generations) return "it counts generations wrong";
  if (state.unimproved < 0 || state.unimproved > state.generation) return "it counts generations wrong";
  if (params_.patience > 0 && state.unimproved >= params_.patience) return "it counts generations wrong";
  if (state.n_evaluations < 0 || state.n_evaluations / params_.population_size > state.generation)
    return "it counts evaluations wrong";
  if (state.population.size() != (begun ? size : 0)) return "the population has another size";
  if (state.best.genes.empty() == begun) return "the best program is missing, or there before the first";
  if (!(begun ? state.best.fitness >= 0.0 && state.best.fitness < fitness_.most() : state.best.fitness == 0.0))
    return "the best program is fitter than any, or worse than none";
  const auto too_long = [&](const Individual& one) {
    return static_cast<std::int64_t>(one.genes.size()) > params_.max_size;
  };
  if (too_long(state.best)) return "a program is too long";
  for (const Individual& one : state.population) {
    if (one.genes.empty()) return "a program is empty";
    if (too_long(one)) return "a program is too long";
    if (!(one.fitness >= 0.0 && one.fitness <= state.best.fitness)) return "a program is fitter than the best";
  }
  return "";
}

void Search::resume(SearchState state) {
  if (const std::string problem = problem_of(state); !problem.empty()) throw std::invalid_argument(problem);
  state_ = std::move(state);
  for (Individual& one : state_.population) one.hash = hash_of(one.genes);
}

bool Search::is_done() const {
  if (state_.generation >= params_.generations) return true;
  if (params_.patience > 0 && state_.unimproved >= params_.patience) return true;
  return state_.generation > 0 && state_.best.fitness >= fitness_.most();  // nothing is left to gain
}

void Search::step(ThreadTeam& team, Interrupt& interrupt) {
  breed(team, interrupt);
  evaluate(next_, team, interrupt);
  ++state_.unimproved;
  for (const Individual& one : next_) {
    if (one.fitness > state_.best.fitness) state_.unimproved = 0;
    if (state_.best.genes.empty() || is_better(merit_of(one), merit_of(state_.best))) state_.best = one;
  }
  std::swap(state_.population, next_);
  ++state_.generation;
}

/// Makes the next generation of this one: each individual from a random stream of its own, whoever makes it.
void Search::breed(ThreadTeam& team, Interrupt& interrupt) {
  const auto n = static_cast<std::size_t>(params_.population_size);
  next_.resize(n);
  std::size_t n_kept = 0;
  if (state_.generation > 0) {
    for (const std::size_t place : best_places(std::min(n, static_cast<std::size_t>(params_.elite))))
      next_[n_kept++] = state_.population[place];
  }
  merits_.clear();
  for (const Individual& one : state_.population) merits_.push_back(merit_of(one));
  const std::uint64_t seed = RandomStream(seed_, static_cast<std::uint64_t>(state_.generation)).next();
  constexpr std::size_t kChunk = 64;
  const bool large = params_.tournament > 10'000;  // a chunk of such tournaments takes long
  team.run_if(n > 2 * kChunk, (n - n_kept + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t) {
    const std::size_t begin = n_kept + chunk * kChunk;
    interrupt.check();
    for (std::size_t i = begin; i < std::min(n, begin + kChunk); ++i) {
      if (large) interrupt.check();
      RandomStream random(seed, i);
      if (state_.generation == 0) {
        first(i, random, next_[i].genes);
      } else {
        child(random, next_[i].genes);
      }
      next_[i].hash = hash_of(next_[i].genes);
    }
  });
}

/// The places of the best individuals, the first of equals first.
std::vector<std::size_t> Search::best_places(std::size_t n) const {
  std::vector<std::size_t> order(state_.population.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const Merit one = merit_of(state_.population[a]), other = merit_of(state_.population[b]);
                      if (is_better(one, other)) return true;
                      return !is_better(other, one) && a < b;
                    });
  order.resize(n);
  return order;
}

/// Ramped half-and-half: depths in turn, every other program with branches as deep as they may be.
void Search::first(std::size_t place, RandomStream& random, Genes& out) const {
  out.clear();
  const std::size_t depth = 2 + place / 2 % 4;
  language_.generate(kTruth, static_cast<std::size_t>(params_.max_size), depth, place % 2 == 0, random, out);
}

/// The best of a tournament, the first of equals. What each draw finds is a coin's throw: nothing is branched on.
const Individual& Search::parent(RandomStream& random) const {
  const Divisor n(merits_.size());
  std::uint64_t best = below(n, random);
  for (std::int64_t i = 1; i < params_.tournament; ++i) {
    const std::uint64_t other = below(n, random);
    best ^= (best ^ other) & -static_cast<std::uint64_t>(is_better(merits_[other], merits_[best]));
  }
  return state_.population[best];
}

void Search::child(RandomStream& random, Genes& out) const {
  const auto most = static_cast<std::size_t>(params_.max_size);
  const Genes& genes = parent(random).genes;
  double chance = random.uniform();
  if ((chance -= params_.crossover) < 0.0) return cross(language_, genes, parent(random).genes, most, random, out);
  if ((chance -= params_.subtree) < 0.0) return regrow(language_, genes, most, random, out);
  if ((chance -= params_.point) < 0.0) return change_symbol(language_, genes, random, out);
  if ((chance -= params_.hoist) < 0.0) return hoist(language_, genes, random, out);
  if ((chance -= params_.constant) < 0.0) return change_constant(language_, genes, random, out);
  out = genes;
}

/// Programs of the last generation are known; the others are run, each once.
void Search::evaluate(std::vector<Individual>& individuals, ThreadTeam& team, Interrupt& interrupt) {
  Register known(state_.population.size() + individuals.size());
  for (const Individual& one : state_.population) known.find_or_add(one);
  std::vector<std::size_t> fresh;
  std::vector<const Individual*> equal(individuals.size());
  for (std::size_t i = 0; i < individuals.size(); ++i) {
    equal[i] = known.find_or_add(individuals[i]);
    if (!equal[i]) fresh.push_back(i);
  }
  state_.n_evaluations += static_cast<std::int64_t>(fresh.size());
  constexpr std::size_t kChunk = 32;
  const std::size_t n_chunks = (fresh.size() + kChunk - 1) / kChunk;
  workers_.resize(team.size());
  team.run_if(fresh.size() * columns_.n_rows() > (1U << 14), n_chunks, [&](std::size_t chunk, std::size_t worker) {
    interrupt.check();
    if (!workers_[worker]) workers_[worker] = std::make_unique<Worker>(language_.calls());
    Worker& own = *workers_[worker];
    for (std::size_t i = chunk * kChunk; i < std::min(fresh.size(), (chunk + 1) * kChunk); ++i) {
      Individual& one = individuals[fresh[i]];
      one.fitness = 0.0;
      if (!language_.to_tokens(one.genes, own.tokens)) continue;
      own.evaluator.truth(own.tokens, columns_, own.truth);
      one.fitness = fitness_(own.truth, own.scratch);
    }
  });
  for (std::size_t i = 0; i < individuals.size(); ++i) {
    if (equal[i]) individuals[i].fitness = equal[i]->fitness;
  }
}

std::vector<Token> Search::best(bool refine) const {
  std::vector<Token> tokens;
  if (state_.best.genes.empty() || !(state_.best.fitness > 0.0)) return tokens;
  language_.to_tokens(state_.best.genes, tokens);
  return refine ? refined(std::move(tokens), state_.best.fitness) : tokens;
}

/// `expression > constant` and `expression > 0` with the best cut, if that is better.
std::vector<Token> Search::refined(std::vector<Token> tokens, double gain) const {
  const Op op = tokens.back().op;
  const bool greater = op == Op::greater && tokens[tokens.size() - 2].op == Op::constant;
  if (!greater && op != Op::positive) return tokens;
  std::vector<Token> inner(tokens.begin(), tokens.end() - (greater ? 2 : 1));
  std::vector<double> numbers(columns_.n_rows());
  Evaluator(language_.calls()).numbers(inner, columns_, numbers.data());
  const Fitness::Cut cut = fitness_.best_cut(numbers);
  if (!(cut.gain > 0.0)) return tokens;
  inner.push_back({Op::constant, 0, cut.at});
  inner.push_back({Op::greater, 0, 0.0});
  Truth truth;
  std::vector<double> scratch;
  Evaluator(language_.calls()).truth(inner, columns_, truth);
  return fitness_(truth, scratch) > gain ? inner : tokens;  // later roots are judged by more than the gain
}

}  // namespace spinney
