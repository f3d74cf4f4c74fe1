#pragma once
// The evolution of one test: a population of programs, generation after generation. What an individual draws depends
// on the seed, the generation and its place only, so results do not depend on threads, and a search can be stopped
// between generations and go on later.

#include <bit>
#include <memory>
#include <string>

#include "spinney/evolve/fitness.hpp"
#include "spinney/evolve/language.hpp"
#include "spinney/parallel.hpp"

namespace spinney {

struct EvolveParams {
  std::int64_t population_size = 500;
  std::int64_t generations = 100;
  std::int64_t max_size = 12;   // symbols of a program
  std::int64_t tournament = 5;  // individuals of which the best is a parent
  std::int64_t elite = 1;       // best individuals that stay
  // Chances of how an individual comes about; the rest are copies of a parent.
  double crossover = 0.7, subtree = 0.1, point = 0.08, hoist = 0.04, constant = 0.06;
  std::int64_t patience = 0;  // generations without a better test after which a search ends; 0: never
  bool refine = false;        // the best cut for `expression > constant` in the end
};

struct Individual {
  Genes genes;
  double fitness = 0.0;
  std::uint64_t hash = 0;  // of the genes
};

/// What selection looks at.
struct Merit {
  std::uint64_t fitness;  // its bits: numbers from 0 on have the order of their bits
  std::uint64_t size;
};
inline Merit merit_of(const Individual& one) {
  return {std::bit_cast<std::uint64_t>(one.fitness + 0.0), one.genes.size()};
}
/// Fitter, or as fit and shorter.
inline bool is_better(const Merit& a, const Merit& b) {
  return (a.fitness > b.fitness) | ((a.fitness == b.fitness) & (a.size < b.size));  // without a branch to guess
}

/// What a search knows between two generations.
struct SearchState {
  std::int64_t generation = 0;  // the next one
  std::int64_t unimproved = 0;
  std::vector<Individual> population;
  Individual best;
  std::int64_t n_evaluations = 0;  // programs that were run
};

class Search {
 public:
  Search(const Language& language, const EvolveParams& params, const NodeColumns& columns, const Fitness& fitness,
         std::uint64_t seed);
  ~Search();

  /// Goes on from a state; throws std::invalid_argument if no search of these settings can have come to it.
  void resume(SearchState state);
  const SearchState& state() const { return state_; }
  bool is_done() const;
  /// One generation.
  void step(ThreadTeam& team, Interrupt& interrupt);
  /// The best test found; an empty one if none divides the rows.
  std::vector<Token> best(bool refine) const;

 private:
  struct Worker;  // memory of one thread

  std::string problem_of(const SearchState& state) const;
  void breed(ThreadTeam& team, Interrupt& interrupt);
  void first(std::size_t place, RandomStream& random, Genes& out) const;
  void child(RandomStream& random, Genes& out) const;
  std::vector<std::size_t> best_places(std::size_t n) const;
  const Individual& parent(RandomStream& random) const;
  void evaluate(std::vector<Individual>& individuals, ThreadTeam& team, Interrupt& interrupt);
  std::vector<Token> refined(std::vector<Token> tokens, double gain) const;

  const Language& language_;
  const EvolveParams& params_;
  const NodeColumns& columns_;
  const Fitness& fitness_;
  std::uint64_t seed_;
  SearchState state_;
  std::vector<Individual> next_;
  std::vector<Merit> merits_;  // of the population
  std::vector<std::unique_ptr<Worker>> workers_;
};

// How programs change. Each gives a well-typed program of at most max_size symbols, in memory of the caller's.
void cross(const Language& language, const Genes& to, const Genes& from, std::size_t max_size, RandomStream& random,
           Genes& out);
void regrow(const Language& language, const Genes& genes, std::size_t max_size, RandomStream& random, Genes& out);
void change_symbol(const Language& language, const Genes& genes, RandomStream& random, Genes& out);
void hoist(const Language& language, const Genes& genes, RandomStream& random, Genes& out);
void change_constant(const Language& language, const Genes& genes, RandomStream& random, Genes& out);

}  // namespace spinney
