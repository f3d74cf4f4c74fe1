#include "spinney/tree/builder.hpp"

#include <array>
#include <utility>

#include "spinney/tree/fields.hpp"

namespace spinney {

namespace {

/// The numbers that stats hold for an array: as many as a node has, or none.
template <class F>
auto given(const F&, [[maybe_unused]] const NodeStats& stats) {
  using Number = typename F::Number;
  if constexpr (!requires { stats.*F::kSource; }) {
    return std::array<Number, 0>{};
  } else if constexpr (requires { (stats.*F::kSource).size(); }) {
    return std::span<const Number>(stats.*F::kSource);
  } else {
    return std::array{static_cast<Number>(stats.*F::kSource)};
  }
}

/// What a division holds for an array.
template <class F>
void set_divided(const F& field, [[maybe_unused]] Tree& tree, [[maybe_unused]] NodeId node,
                 [[maybe_unused]] const Division& division) {
  if constexpr (requires { division.*F::kSource; }) field.in(tree)[node] = division.*F::kSource;
}

/// Appends derived numbers until there are so many.
template <class F>
void fill_up(const F& field, Tree& tree, std::size_t entries) {
  auto& array = field.in(tree);
  for (std::size_t entry = array.size(); entry < entries; ++entry)
    array.push_back(field.derived ? static_cast<typename F::Number>((tree.*field.derived)(entry)) : 0);
}

}  // namespace

void set_stats(Tree& tree, NodeId node, const NodeStats& stats) {
  for_each_field([&](const auto& field) {
    const std::size_t width = field.width(tree), first = static_cast<std::size_t>(node) * width;
    const auto numbers = given(field, stats);
    auto& array = field.in(tree);
    if (numbers.empty() && (!field.derived || array.empty())) return;
    fill_up(field, tree, tree.n_nodes() * width);
    for (std::size_t i = 0; i < width; ++i) {
      using Number = typename std::remove_cvref_t<decltype(field)>::Number;
      const Number number = numbers.empty() ? static_cast<Number>((tree.*field.derived)(first + i)) : numbers[i];
      if constexpr (requires { array.set(i, number); }) {
        array.set(first + i, number);
      } else {
        array[first + i] = number;
      }
    }
  });
}

TreeBuilder TreeBuilder::from(const Tree& tree) {
  TreeBuilder builder(tree);
  builder.tree_.tests = {};
  builder.tree_.surrogates = {};
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    const auto id = static_cast<NodeId>(node);
    builder.tree_.tests.append_leaf();
    if (!tree.is_leaf(id)) builder.set_test(id, tree.tests.get(node));
    for (std::int64_t s = tree.surrogates.lists.begin(node); s < tree.surrogates.lists.end(node); ++s)
      builder.stand_ins_[id].push_back(tree.surrogates.get(s));
  }
  return builder;
}

NodeStats stats_of(const Tree& tree, NodeId node) {
  NodeStats stats;
  for_each_field([&]<class F>(const F& field) {
    if constexpr (requires { (stats.*F::kSource).size(); }) {
      if (field.is_optional && field.is_left_out(tree)) return;
      const std::size_t width = field.width(tree), first = static_cast<std::size_t>(node) * width;
      for (std::size_t i = 0; i < width; ++i) (stats.*F::kSource).push_back(field.at(tree, first + i));
    } else if constexpr (requires { stats.*F::kSource; }) {
      stats.*F::kSource = field.at(tree, node);
    }
  });
  return stats;
}

Division division_of(const Tree& tree, NodeId node) {
  Division division;
  division.test = tree.tests.get(node);
  division.default_branch = tree.default_branch[node];
  for_each_field([&]<class F>([[maybe_unused]] const F& field) {
    if constexpr (requires { division.*F::kSource; }) division.*F::kSource = field.at(tree, node);
  });
  for (std::int64_t s = tree.surrogates.lists.begin(node); s < tree.surrogates.lists.end(node); ++s)
    division.surrogates.push_back(tree.surrogates.get(s));
  return division;
}

NodeId TreeBuilder::append(NodeId leaf, const Tree& subtree) {
  const auto second = static_cast<NodeId>(tree_.n_nodes());
  const auto place = [&](NodeId node) { return node == 0 ? leaf : second + node - 1; };
  for (NodeId node = 1; node < static_cast<NodeId>(subtree.n_nodes()); ++node)
    add_node(place(subtree.parent[node]), stats_of(subtree, node));
  for (NodeId node = 0; node < static_cast<NodeId>(subtree.n_nodes()); ++node) {
    if (subtree.is_leaf(node)) continue;
    set_division(place(node), division_of(subtree, node), place(subtree.first_child[node]), subtree.n_children[node]);
  }
  return second;
}

NodeId TreeBuilder::add_node(NodeId parent, const NodeStats& stats) {
  const auto id = static_cast<NodeId>(tree_.n_nodes());
  tree_.first_child.push_back(kNoNode);
  tree_.n_children.push_back(0);
  tree_.parent.push_back(parent);
  tree_.default_branch.push_back(0);
  for_each_field([&](const auto& field) {
    const std::size_t width = field.width(tree_), first = static_cast<std::size_t>(id) * width;
    const auto numbers = given(field, stats);
    auto& array = field.in(tree_);
    if (numbers.empty() && field.derived && array.empty()) return;
    fill_up(field, tree_, first + (numbers.empty() ? width : 0));
    for (const auto number : numbers) array.push_back(number);
  });
  tree_.tests.append_leaf();
  return id;
}

NodeId TreeBuilder::divide(NodeId node, Division division, std::span<const NodeStats> children) {
  const auto first = static_cast<NodeId>(tree_.n_nodes());
  for (const NodeStats& child : children) add_node(node, child);
  set_division(node, std::move(division), first, static_cast<std::int32_t>(children.size()));
  return first;
}

void TreeBuilder::set_division(NodeId node, Division&& division, NodeId first_child, std::int32_t n_children) {
  tree_.first_child[node] = first_child;
  tree_.n_children.set(node, n_children);
  tree_.default_branch.set(node, division.default_branch);
  for_each_field([&](const auto& field) { set_divided(field, tree_, node, division); });
  set_test(node, std::move(division.test));
  if (!division.surrogates.empty()) stand_ins_[node] = std::move(division.surrogates);
}

void TreeBuilder::set_test(NodeId node, Test&& test) {
  tree_.tests.kind[node] = test.kind;
  tree_.tests.feature[node] = test.feature;
  tree_.tests.threshold[node] = test.threshold;
  if (!test.codes.empty() || !test.cuts.empty() || !test.tokens.empty()) listed_[node] = std::move(test);
}

Tree TreeBuilder::finish() && {
  const Test none;
  auto listed = listed_.begin();
  auto stand_ins = stand_ins_.begin();
  for (NodeId node = 0; node < static_cast<NodeId>(tree_.n_nodes()); ++node) {
    const bool has_list = listed != listed_.end() && listed->first == node;
    tree_.tests.append_lists(has_list ? (listed++)->second : none);
    if (stand_ins != stand_ins_.end() && stand_ins->first == node) {
      for (const Surrogate& surrogate : (stand_ins++)->second) tree_.surrogates.append(surrogate);
    }
    tree_.surrogates.close_node();
  }
  return std::move(tree_);
}

Tree join_subtrees(const Tree& top, const Tree* start, std::span<const Subtree> subtrees) {
  std::map<NodeId, const Tree*> below;
  for (const Subtree& subtree : subtrees) below[subtree.leaf] = &subtree.tree;
  TreeBuilder whole = start ? TreeBuilder::from(*start) : TreeBuilder(empty_like(top));
  if (!start) whole.add_root(stats_of(top, 0));
  std::vector<std::pair<NodeId, NodeId>> open = {{0, 0}};  // a node of top, and its number in the whole
  if (start) open.clear();
  for (NodeId node = 0; start && node < static_cast<NodeId>(start->n_nodes()); ++node) {
    if (start->is_leaf(node)) open.emplace_back(node, node);
  }
  while (!open.empty()) {
    const auto [node, id] = open.back();
    open.pop_back();
    if (const auto found = below.find(node); found != below.end()) {
      whole.append(id, *found->second);
    } else if (!top.is_leaf(node)) {
      std::vector<NodeStats> children;
      const NodeId first = top.first_child[node], n = top.n_children[node];
      for (NodeId child = first; child < first + n; ++child) children.push_back(stats_of(top, child));
      const NodeId at = whole.divide(id, division_of(top, node), children);
      for (NodeId b = n; b-- > 0;) open.emplace_back(first + b, at + b);
    }
  }
  return std::move(whole).finish();
}

}  // namespace spinney
