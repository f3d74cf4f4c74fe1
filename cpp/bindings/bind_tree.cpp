// Tree: its arrays in and out, and prediction.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_tree.hpp"
#include "hosted.hpp"
#include "spinney/tree/fields.hpp"

namespace spinney::bindings {

namespace {

template <class T>
std::vector<T> take(const nb::dict& state, const char* name) {
  if (!state.contains(name)) throw std::invalid_argument(std::string("the tree state lacks '") + name + "'");
  try {
    const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(state[name], false);
    return {array.data(), array.data() + array.size()};
  } catch (const nb::cast_error&) {
    throw std::invalid_argument(std::string("the tree state's '") + name + "' has another dtype");
  }
}

template <class T>
T take_scalar(const nb::dict& state, const char* name, T low, T high) {
  if (!state.contains(name)) throw std::invalid_argument(std::string("the tree state lacks '") + name + "'");
  T value{};
  try {
    value = nb::cast<T>(state[name]);
  } catch (const nb::cast_error&) {
    throw std::invalid_argument(std::string("the tree state's '") + name + "' is no integer");
  }
  if (value < low || value > high)
    throw std::invalid_argument(std::string("the tree state's '") + name + "' is out of range");
  return value;
}

Lists take_lists(const nb::dict& state, const std::string& name, std::size_t array_size) {
  const auto lists = Lists::from(take<std::int64_t>(state, name.c_str()), array_size);
  if (!lists) throw std::invalid_argument("not a tree: '" + name + "' does not tell where lists begin");
  return *lists;
}

/// Whole numbers, which Python has in 64 bits.
template <class Number>
std::vector<Number> take_wholes(const nb::dict& state, const char* name) {
  const auto wide = take<std::int64_t>(state, name);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if (!std::in_range<Number>(wide[i]))
      throw std::invalid_argument("not a tree: node " + std::to_string(i) + ": " + name + " is out of range");
  }
  return {wide.begin(), wide.end()};
}

/// A plain array. A tree may leave out what follows from the rest, a state only what is optional.
template <class F>
void take_field(const nb::dict& state, const F& field, Tree& tree) {
  const std::string name(field.name);
  if (field.is_optional && !state.contains(name.c_str())) return;
  using Number = typename F::Number;
  std::vector<Number> numbers;
  if constexpr (F::kWhole) {
    numbers = take_wholes<Number>(state, name.c_str());
  } else {
    numbers = take<Number>(state, name.c_str());
  }
  if (numbers.size() != tree.n_nodes() * field.width(tree))
    throw std::invalid_argument("not a tree: the node arrays differ in length");
  field.in(tree) = typename F::Array(std::move(numbers));
}

/// All entries of a plain array, a row for each node if they are of outputs.
template <class F>
nb::object field_to_numpy(const F& field, const Tree& tree) {
  using Wide = std::conditional_t<F::kWhole, std::int64_t, double>;
  std::vector<Wide> numbers(tree.n_nodes() * field.width(tree));
  for (std::size_t entry = 0; entry < numbers.size(); ++entry) numbers[entry] = field.at(tree, entry);
  if (field.per_output) return nb::cast(to_numpy(std::move(numbers), {tree.n_nodes(), tree.n_outputs()}));
  return nb::cast(to_numpy(std::move(numbers)));
}

TestTable take_tests(const nb::dict& state, const std::string& prefix) {
  TestTable tests;
  for (const std::uint8_t kind : take<std::uint8_t>(state, (prefix + "kind").c_str())) {
    if (kind > static_cast<std::uint8_t>(TestKind::expression)) throw std::invalid_argument("unknown kind of test");
    tests.kind.push_back(static_cast<TestKind>(kind));
  }
  tests.feature = take<FeatureIndex>(state, (prefix + "feature").c_str());
  tests.threshold = take<double>(state, (prefix + "threshold").c_str());
  tests.code = NarrowNumbers(take<std::int32_t>(state, (prefix + "code").c_str()));
  tests.branch = NarrowNumbers(take<std::int32_t>(state, (prefix + "branch").c_str()));
  tests.cut = take<double>(state, (prefix + "cut").c_str());
  const auto op = take<std::int32_t>(state, (prefix + "token_op").c_str());
  const auto arg = take<std::int32_t>(state, (prefix + "token_arg").c_str());
  const auto value = take<double>(state, (prefix + "token_value").c_str());
  if (arg.size() != op.size() || value.size() != op.size()) throw std::invalid_argument("tokens differ in number");
  for (std::size_t i = 0; i < op.size(); ++i) tests.token.push_back({static_cast<Op>(op[i]), arg[i], value[i]});
  tests.code_lists = take_lists(state, prefix + "code_begin", tests.code.size());
  tests.cut_lists = take_lists(state, prefix + "cut_begin", tests.cut.size());
  tests.token_lists = take_lists(state, prefix + "token_begin", tests.token.size());
  return tests;
}

void put_tests(nb::dict& state, const TestTable& tests, const std::string& prefix) {
  std::vector<std::uint8_t> kind;
  for (const TestKind k : tests.kind) kind.push_back(static_cast<std::uint8_t>(k));
  state[(prefix + "kind").c_str()] = to_numpy(std::move(kind));
  state[(prefix + "feature").c_str()] = to_numpy(tests.feature);
  state[(prefix + "threshold").c_str()] = to_numpy(tests.threshold);
  state[(prefix + "code_begin").c_str()] = to_numpy(tests.code_lists.offsets());
  state[(prefix + "code").c_str()] = to_numpy(tests.code.wide());
  state[(prefix + "branch").c_str()] = to_numpy(tests.branch.wide());
  state[(prefix + "cut_begin").c_str()] = to_numpy(tests.cut_lists.offsets());
  state[(prefix + "cut").c_str()] = to_numpy(tests.cut);
  state[(prefix + "token_begin").c_str()] = to_numpy(tests.token_lists.offsets());
  std::vector<std::int32_t> op, arg;
  std::vector<double> value;
  for (const Token& token : tests.token) {
    op.push_back(static_cast<std::int32_t>(token.op));
    arg.push_back(token.arg);
    value.push_back(token.value);
  }
  state[(prefix + "token_op").c_str()] = to_numpy(std::move(op));
  state[(prefix + "token_arg").c_str()] = to_numpy(std::move(arg));
  state[(prefix + "token_value").c_str()] = to_numpy(std::move(value));
}

Tree tree_from_state(const nb::dict& state) {
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  Tree tree;
  tree.n_features = take_scalar<std::int32_t>(state, "n_features", 0, kMax);
  tree.n_classes = take_scalar<std::int32_t>(state, "n_classes", 0, kMax);
  tree.missing = static_cast<MissingRule>(take_scalar<std::int32_t>(state, "missing", 0, 4));
  tree.cost = take<double>(state, "cost");
  if (state.contains("objective")) {
    std::string name;
    if (!nb::try_cast(state["objective"], name)) throw std::invalid_argument("the tree state's 'objective' is no text");
    tree.objective = judge_name(judge_choice(name, tree.n_classes), tree.n_classes);
  }
  if (state.contains("monotone")) tree.monotone = take<std::int8_t>(state, "monotone");
  tree.tests = take_tests(state, "");
  tree.first_child = take<NodeId>(state, "first_child");
  tree.n_children = NarrowNumbers(take<std::int32_t>(state, "n_children"));
  tree.parent = take<NodeId>(state, "parent");
  tree.default_branch = NarrowNumbers(take<std::int32_t>(state, "default_branch"));
  for_each_field([&](const auto& field) { take_field(state, field, tree); });
  tree.surrogates.tests = take_tests(state, "surrogate_");
  tree.surrogates.reversed = take<std::uint8_t>(state, "surrogate_reversed");
  tree.surrogates.agreement = take<double>(state, "surrogate_agreement");
  tree.surrogates.adjusted = take<double>(state, "surrogate_adjusted");
  tree.surrogates.lists = take_lists(state, "surrogate_begin", tree.surrogates.tests.size());
  if (const std::string problem = tree.check(); !problem.empty()) throw std::invalid_argument("not a tree: " + problem);
  return tree;
}

nb::dict tree_to_state(const Tree& tree) {
  nb::dict state;
  state["n_features"] = tree.n_features;
  state["n_classes"] = tree.n_classes;
  state["missing"] = static_cast<std::int32_t>(tree.missing);
  state["cost"] = to_numpy(tree.cost);
  if (!tree.objective.empty()) state["objective"] = tree.objective;
  if (!tree.monotone.empty()) state["monotone"] = to_numpy(tree.monotone);
  put_tests(state, tree.tests, "");
  state["first_child"] = to_numpy(tree.first_child);
  state["n_children"] = to_numpy(tree.n_children.wide());
  state["parent"] = to_numpy(tree.parent);
  state["default_branch"] = to_numpy(tree.default_branch.wide());
  for_each_field([&](const auto& field) {
    if (field.is_optional && field.is_left_out(tree)) return;
    state[std::string(field.name).c_str()] = field_to_numpy(field, tree);
  });
  put_tests(state, tree.surrogates.tests, "surrogate_");
  state["surrogate_reversed"] = to_numpy(tree.surrogates.reversed);
  state["surrogate_agreement"] = to_numpy(tree.surrogates.agreement);
  state["surrogate_adjusted"] = to_numpy(tree.surrogates.adjusted);
  state["surrogate_begin"] = to_numpy(tree.surrogates.lists.offsets());
  return state;
}

Matrix checked(const BoundTree& self, const Table& table) {
  if (table.shape(1) != static_cast<std::size_t>(self.tree().n_features)) {
    throw std::invalid_argument("the table has " + std::to_string(table.shape(1)) + " columns, the tree needs " +
                                std::to_string(self.tree().n_features));
  }
  return view(table);
}

}  // namespace

void bind_tree(nb::module_& m) {
  nb::class_<BoundTree>(m, "Tree")
      .def(
          "__init__", [](BoundTree* self, const nb::dict& state) { new (self) BoundTree(tree_from_state(state)); },
          nb::arg("state"))
      .def("state", [](const BoundTree& self) { return tree_to_state(self.tree()); })
      .def_prop_ro("n_nodes", [](const BoundTree& self) { return self.tree().n_nodes(); })
      .def_prop_ro("n_classes", [](const BoundTree& self) { return self.tree().n_classes; })
      .def_prop_ro(
          "answer",
          [](const BoundTree& self) -> std::optional<nb::ndarray<nb::numpy, double>> {
            const Tree& tree = self.tree();
            if (tree.answer.empty()) return std::nullopt;
            return to_numpy(tree.answer, {tree.n_nodes(), tree.n_outputs()});
          },
          nb::rv_policy::automatic, "What each node predicts, of the shape of its values; None if that is its value.")
      .def("labels",
           [](const BoundTree& self) {
             std::vector<std::int64_t> labels;
             for (std::size_t i = 0; i < self.tree().n_nodes(); ++i)
               labels.push_back(self.tree().label(static_cast<NodeId>(i)));
             return to_numpy(std::move(labels));
           })
      .def(
          "apply",
          [](const BoundTree& self, const Table& x, std::size_t n_threads) {
            const Matrix matrix = checked(self, x);
            std::vector<NodeId> out(matrix.n_rows);
            run_hosted([&](Interrupt& interrupt) {
              self.predictor().apply(self.tree(), matrix, out.data(), {n_threads, interrupt});
            });
            return to_numpy(std::move(out));
          },
          nb::arg("x").noconvert(), nb::arg("n_threads") = 1)
      .def(
          "predict_values",
          [](const BoundTree& self, const Table& x, std::size_t n_threads) {
            const Matrix matrix = checked(self, x);
            std::vector<double> out(matrix.n_rows * self.tree().n_outputs());
            run_hosted([&](Interrupt& interrupt) {
              self.predictor().values(self.tree(), matrix, out.data(), {n_threads, interrupt});
            });
            return to_numpy(std::move(out), {matrix.n_rows, self.tree().n_outputs()});
          },
          nb::arg("x").noconvert(), nb::arg("n_threads") = 1)
      .def(
          "predict_labels",
          [](const BoundTree& self, const Table& x, std::size_t n_threads) {
            const Matrix matrix = checked(self, x);
            if (self.tree().n_classes == 0) throw std::invalid_argument("a regression tree has no labels");
            std::vector<std::int64_t> out(matrix.n_rows);
            run_hosted([&](Interrupt& interrupt) {
              self.predictor().labels(self.tree(), matrix, out.data(), {n_threads, interrupt});
            });
            return to_numpy(std::move(out));
          },
          nb::arg("x").noconvert(), nb::arg("n_threads") = 1)
      .def(
          "collapse",
          [](const BoundTree& self, const Vector<bool>& make_leaf) {
            if (make_leaf.shape(0) != self.tree().n_nodes())
              throw std::invalid_argument("make_leaf needs one entry per node");
            const std::vector<std::uint8_t> mask(make_leaf.data(), make_leaf.data() + make_leaf.shape(0));
            return std::make_unique<BoundTree>(collapse(self.tree(), mask));
          },
          nb::arg("make_leaf").noconvert());
}

}  // namespace spinney::bindings
