// Evolved tests: languages, and evolutions that can be stopped between generations.

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_dataset.hpp"
#include "bound_evolution.hpp"
#include "bound_target.hpp"
#include "bound_tree.hpp"
#include "hosted.hpp"

namespace spinney::bindings {

namespace {

using TokenTuple = std::tuple<std::int32_t, std::int32_t, double>;  // op, arg, value

std::vector<Token> to_tokens(const std::vector<TokenTuple>& given) {
  std::vector<Token> tokens;
  for (const auto& [op, arg, value] : given) {
    if (op < 0 || op > kOps) throw std::invalid_argument("unknown operation");
    tokens.push_back({static_cast<Op>(op), arg, value});
  }
  return tokens;
}

std::vector<TokenTuple> from_tokens(const std::vector<Token>& tokens) {
  std::vector<TokenTuple> out;
  for (const Token& token : tokens) out.emplace_back(static_cast<std::int32_t>(token.op), token.arg, token.value);
  return out;
}

using GeneTuple = std::tuple<std::int32_t, double>;
using IndividualTuple = std::tuple<std::vector<GeneTuple>, double>;

Individual to_individual(const IndividualTuple& given, const Language& language) {
  Individual out{{}, std::get<1>(given)};
  for (const auto& [symbol, value] : std::get<0>(given)) {
    if (symbol < 0 || symbol >= language.n_symbols()) throw std::invalid_argument("a program has an unknown symbol");
    out.genes.push_back({symbol, value});
  }
  if (!out.genes.empty() && !language.is_program(out.genes))
    throw std::invalid_argument("a program is not one that can be made");
  return out;
}

IndividualTuple from_individual(const Individual& one) {
  std::vector<GeneTuple> genes;
  for (const Gene& gene : one.genes) genes.emplace_back(gene.symbol, gene.value);
  return {std::move(genes), one.fitness};
}

Symbol to_symbol(const nb::dict& given) {
  Symbol symbol;
  const auto kind = nb::cast<std::string>(given["kind"]);
  symbol.kind = kind == "column"     ? SymbolKind::column
                : kind == "constant" ? SymbolKind::constant
                                     : SymbolKind::function;
  symbol.returns = nb::cast<std::int32_t>(given["returns"]);
  symbol.takes = nb::cast<std::vector<TypeId>>(given["takes"]);
  symbol.column = nb::cast<std::int32_t>(given["column"]);
  symbol.pool = nb::cast<std::vector<double>>(given["pool"]);
  symbol.spread = nb::cast<double>(given["spread"]);
  symbol.body = to_tokens(nb::cast<std::vector<TokenTuple>>(given["body"]));
  if (symbol.returns < 0) throw std::invalid_argument("types are numbered from 0");
  if (symbol.kind == SymbolKind::constant && symbol.pool.empty())
    throw std::invalid_argument("a constant needs values");
  if ((symbol.kind == SymbolKind::function) == symbol.takes.empty())
    throw std::invalid_argument("functions take something, other symbols nothing");
  return symbol;
}

/// A function of Python's, called with the interpreter's lock: (number, list of columns) -> column.
auto to_call(const nb::object& run) {
  return [run = shared(run)](std::int32_t id, const std::vector<const double*>& columns, std::size_t n, double* out) {
    const nb::gil_scoped_acquire acquire;
    nb::list given;
    for (const double* column : columns) given.append(to_numpy(std::vector<double>(column, column + n)));
    const nb::object answer = (*run)(id, given);
    const auto array = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(answer);
    if (array.shape(0) != n) throw std::invalid_argument("a function returned another number of rows");
    std::copy(array.data(), array.data() + n, out);
  };
}

/// Programs made, crossed and changed at random, for tests: symbols and values padded to max_size, and sizes.
nb::tuple breed(const Language& language, std::size_t n, std::size_t max_size, std::uint64_t seed) {
  std::vector<std::int32_t> symbols(n * max_size, -1), sizes(n);
  std::vector<double> values(n * max_size, 0.0);
  std::vector<Genes> made;
  for (std::size_t i = 0; i < n; ++i) {
    RandomStream random(seed, i);
    Genes genes;
    const std::size_t kind = made.empty() ? 0 : random.below(6);
    if (kind == 0) {
      language.generate(kTruth, max_size, 1 + random.below(5), random.below(2) == 0, random, genes);
    } else {
      const Genes& one = made[random.below(made.size())];
      if (kind == 1) cross(language, one, made[random.below(made.size())], max_size, random, genes);
      if (kind == 2) regrow(language, one, max_size, random, genes);
      if (kind == 3) change_symbol(language, one, random, genes);
      if (kind == 4) hoist(language, one, random, genes);
      if (kind == 5) change_constant(language, one, random, genes);
    }
    sizes[i] = static_cast<std::int32_t>(genes.size());
    for (std::size_t j = 0; j < std::min(genes.size(), max_size); ++j) {
      symbols[i * max_size + j] = genes[j].symbol;
      values[i * max_size + j] = genes[j].value;
    }
    made.push_back(std::move(genes));
    if (made.size() > 1000) made.erase(made.begin(), made.begin() + 500);
  }
  return nb::make_tuple(to_numpy(std::move(symbols), {n, max_size}), to_numpy(std::move(values), {n, max_size}),
                        to_numpy(std::move(sizes)));
}

NodeColumns columns_of_table(const Table& table) {
  const Matrix x = view(table);
  return {x.n_rows, x.n_columns, [&](std::size_t r, std::size_t c) { return x.at(r, c); }};
}

void bind_plan(nb::module_& m) {
  nb::class_<EvolvePlan>(m, "EvolvePlan")
      .def(nb::init<>())
      .def_prop_rw(
          "population_size", [](const EvolvePlan& p) { return p.search.population_size; },
          [](EvolvePlan& p, std::int64_t v) { p.search.population_size = v; })
      .def_prop_rw(
          "generations", [](const EvolvePlan& p) { return p.search.generations; },
          [](EvolvePlan& p, std::int64_t v) { p.search.generations = v; })
      .def_prop_rw(
          "max_size", [](const EvolvePlan& p) { return p.search.max_size; },
          [](EvolvePlan& p, std::int64_t v) { p.search.max_size = v; })
      .def_prop_rw(
          "tournament", [](const EvolvePlan& p) { return p.search.tournament; },
          [](EvolvePlan& p, std::int64_t v) { p.search.tournament = v; })
      .def_prop_rw(
          "elite", [](const EvolvePlan& p) { return p.search.elite; },
          [](EvolvePlan& p, std::int64_t v) { p.search.elite = v; })
      .def_prop_rw(
          "patience", [](const EvolvePlan& p) { return p.search.patience; },
          [](EvolvePlan& p, std::int64_t v) { p.search.patience = v; })
      .def_prop_rw(
          "refine", [](const EvolvePlan& p) { return p.search.refine; },
          [](EvolvePlan& p, bool v) { p.search.refine = v; })
      .def("set_chances",
           [](EvolvePlan& p, double crossover, double subtree, double point, double hoist, double constant) {
             p.search.crossover = crossover;
             p.search.subtree = subtree;
             p.search.point = point;
             p.search.hoist = hoist;
             p.search.constant = constant;
           })
      .def_rw("min_entropy", &EvolvePlan::min_entropy)
      .def_rw("min_variance", &EvolvePlan::min_variance)
      .def_rw("min_fraction", &EvolvePlan::min_fraction)
      .def_rw("max_depth", &EvolvePlan::max_depth)
      .def_rw("n_trees", &EvolvePlan::n_trees)
      .def_rw("diverse_roots", &EvolvePlan::diverse_roots);
}

}  // namespace

void bind_evolve(nb::module_& m) {
  bind_plan(m);
  m.attr("MAX_PROGRAM") = kMaxProgram;
  nb::class_<BoundLanguage>(m, "Language", "The typed symbols that programs are made of.")
      .def(
          "__init__",
          [](BoundLanguage* self, const nb::list& given, const nb::list& signatures, const nb::object& run) {
            std::vector<Symbol> symbols;
            for (const nb::handle one : given) symbols.push_back(to_symbol(nb::cast<nb::dict>(one)));
            Calls calls;
            for (const nb::handle one : signatures) {
              const auto [takes, gives] = nb::cast<std::tuple<std::vector<std::uint8_t>, bool>>(one);
              calls.signatures.push_back({takes, gives});
            }
            if (!calls.signatures.empty()) calls.run = to_call(run);
            new (self) BoundLanguage{std::make_shared<const Language>(std::move(symbols), std::move(calls))};
          },
          nb::arg("symbols"), nb::arg("signatures") = nb::list(), nb::arg("run").none() = nb::none())
      .def("least_size",
           [](const BoundLanguage& self, TypeId type) {
             if (type < 0 || type >= self.language->n_types()) return kMaxProgram + 1;
             return self.language->least_size(type);
           })
      .def("tokens",
           [](const BoundLanguage& self, const std::vector<GeneTuple>& genes) {
             const Individual one = to_individual({genes, 0.0}, *self.language);
             std::vector<Token> tokens;
             if (!self.language->to_tokens(one.genes, tokens)) throw std::invalid_argument("the program is too long");
             return from_tokens(tokens);
           })
      .def("breed", [](const BoundLanguage& self, std::size_t n, std::size_t max_size, std::uint64_t seed) {
        return breed(*self.language, n, max_size, seed);
      });

  m.def(
      "evaluate",
      [](const std::vector<TokenTuple>& given, const Table& table) {
        const std::vector<Token> tokens = to_tokens(given);
        if (const std::string problem = check_expression(tokens, static_cast<std::int32_t>(table.shape(1)));
            !problem.empty())
          throw std::invalid_argument(problem);
        const NodeColumns columns = columns_of_table(table);
        Truth truth;
        Evaluator().truth(tokens, columns, truth);
        std::vector<std::uint8_t> bytes;
        for (std::size_t i = 0; i < columns.n_rows(); ++i)
          bytes.push_back(truth.is_true(i) ? 1 : truth.is_false(i) ? 2 : 0);
        return to_numpy(std::move(bytes));
      },
      nb::arg("tokens"), nb::arg("x").noconvert(), "One byte a row: 1 true, 2 false, 0 unknown.");

  m.def(
      "numbers",
      [](const std::vector<TokenTuple>& given, const Table& table) {
        std::vector<Token> tokens = to_tokens(given);
        tokens.push_back({Op::positive, 0, 0.0});
        if (const std::string problem = check_expression(tokens, static_cast<std::int32_t>(table.shape(1)));
            !problem.empty())
          throw std::invalid_argument(problem);
        tokens.pop_back();
        const NodeColumns columns = columns_of_table(table);
        std::vector<double> out(columns.n_rows());
        Evaluator().numbers(tokens, columns, out.data());
        return to_numpy(std::move(out));
      },
      nb::arg("tokens"), nb::arg("x").noconvert(), "The numbers of an expression that is no test.");

  nb::class_<BoundEvolution>(m, "Evolution", "Trees with evolved tests, generation by generation.")
      .def(nb::init<const BoundDataset&, const BoundTarget&, const GrowParams&, const BoundLanguage&, const EvolvePlan&,
                    std::uint64_t>(),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def(
          "run",
          [](BoundEvolution& self, std::int64_t n_generations, std::size_t n_threads) {
            run_hosted([&](Interrupt& interrupt) {
              ThreadTeam team(n_threads, &interrupt);
              for (std::int64_t i = 0; i < n_generations && !self.evolution->is_done(); ++i)
                self.evolution->step(team, interrupt);
            });
            return self.evolution->is_done();
          },
          nb::arg("n_generations"), nb::arg("n_threads") = 1)
      .def_prop_ro("is_done", [](const BoundEvolution& self) { return self.evolution->is_done(); })
      .def_prop_ro("n_evaluations",
                   [](const BoundEvolution& self) {
                     const SearchState* search = self.evolution->search();
                     return self.evolution->n_evaluations() + (search ? search->n_evaluations : 0);
                   })
      .def_prop_ro("n_trees", [](const BoundEvolution& self) { return self.evolution->trees().size(); })
      .def_prop_ro("n_tests", [](const BoundEvolution& self) { return self.evolution->tests().size(); })
      .def_prop_ro("best_fitness",
                   [](const BoundEvolution& self) {
                     const SearchState* search = self.evolution->search();
                     return search ? search->best.fitness : 0.0;
                   })
      .def("tree", [](const BoundEvolution& self,
                      std::size_t i) { return std::make_unique<BoundTree>(self.evolution->trees().at(i)); })
      .def("state",
           [](const BoundEvolution& self) {
             std::vector<std::vector<TokenTuple>> tests;
             for (const auto& test : self.evolution->tests()) tests.push_back(from_tokens(test));
             const SearchState* search = self.evolution->search();
             const SearchState none;
             const SearchState& own = search ? *search : none;
             std::vector<IndividualTuple> population;
             for (const Individual& one : own.population) population.push_back(from_individual(one));
             return nb::make_tuple(tests, own.generation, own.unimproved, own.n_evaluations, population,
                                   from_individual(own.best), self.evolution->n_evaluations());
           })
      .def("resume",
           [](BoundEvolution& self, const std::vector<std::vector<TokenTuple>>& tests, std::int64_t generation,
              std::int64_t unimproved, std::int64_t n_in_search, const std::vector<IndividualTuple>& population,
              const IndividualTuple& best, std::int64_t n_evaluations) {
             const Language& language = *self.settings.language;
             std::vector<std::vector<Token>> own;
             for (const auto& test : tests) {
               own.push_back(to_tokens(test));
               if (test.empty()) continue;
               const std::string problem = check_expression(own.back(), self.n_columns(), language.signatures());
               if (!problem.empty()) throw std::invalid_argument(problem);
             }
             SearchState search{generation, unimproved, {}, to_individual(best, language), n_in_search};
             for (const auto& one : population) search.population.push_back(to_individual(one, language));
             self.evolution->resume(std::move(own), std::move(search), n_evaluations);
           });
}

}  // namespace spinney::bindings
