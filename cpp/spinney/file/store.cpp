#include <numeric>

#include "spinney/data/target.hpp"
#include "spinney/file/codec.hpp"

namespace spinney {

double told_weight(const Tree& tree, NodeId node) {
  if (tree.n_classes == 0) return static_cast<double>(tree.n_samples[node]);
  return std::accumulate(tree.values(node), tree.values(node) + tree.n_outputs(), 0.0);
}

double told_impurity(const Tree& tree, NodeId node) {
  if (tree.n_classes > 0) return kNaN;  // nobody tells which impurity it is
  return tree.weight[node] > 0.0 ? tree.risk[node] / tree.weight[node] : 0.0;
}

double told_risk(const Tree& tree, NodeId node) {
  if (tree.n_classes == 0) return kNaN;
  return least_cost(tree.cost, {tree.values(node), tree.n_outputs()});
}

namespace {

/// Sends every number of a tree to its part, in order. A sink has whole(part, n), real(part, x), and reals for many.
template <class Sink>
class Sender {
 public:
  explicit Sender(Sink& sink) : sink_(sink) {}

  void send(const Tree& tree, std::span<const std::int32_t> groups) {
    sink_.whole(Part::n_nodes, tree.n_nodes());
    sink_.whole(Part::n_classes, static_cast<std::uint64_t>(tree.n_classes));
    sink_.whole(Part::missing, static_cast<std::uint64_t>(tree.missing));
    sink_.whole(Part::n_costs, tree.cost.size());
    sink_.reals(Part::cost, tree.cost);
    sink_.whole(Part::n_groups, groups.size());
    for (const std::int32_t g : groups) sink_.whole(Part::group, static_cast<std::uint64_t>(g));
    sink_.reals(Part::value, tree.value);
    sink_.reals(Part::weight, tree.weight);
    sink_.reals(Part::impurity, tree.impurity);
    sink_.reals(Part::risk, tree.risk);
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
      sink_.whole(Part::kind, static_cast<std::uint64_t>(tree.tests.kind[node]));
      sink_.whole(Part::n_samples, static_cast<std::uint64_t>(tree.n_samples[node]));
      if (tree.tests.kind[node] != TestKind::leaf) send_inner(tree, node);
    }
  }

 private:
  void send_inner(const Tree& tree, std::size_t node) {
    sink_.whole(Part::child, static_cast<std::uint64_t>(tree.first_child[node]) - node);
    if (tree.tests.kind[node] == TestKind::multiway)
      sink_.whole(Part::n_children, static_cast<std::uint64_t>(tree.n_children[node]));
    sink_.whole(Part::default_branch, static_cast<std::uint64_t>(tree.default_branch[node]));
    sink_.real(Part::gain, tree.gain[node]);
    send_test(tree.tests, node, 0);
    const std::int64_t begin = tree.surrogates.begin[node], end = tree.surrogates.begin[node + 1];
    sink_.whole(Part::n_surrogates, static_cast<std::uint64_t>(end - begin));
    for (std::int64_t s = begin; s < end; ++s) {
      sink_.whole(Part::surrogate_kind, static_cast<std::uint64_t>(tree.surrogates.tests.kind[s]));
      send_test(tree.surrogates.tests, static_cast<std::size_t>(s), kToSurrogates);
      sink_.whole(Part::reversed, tree.surrogates.reversed[s]);
      sink_.real(Part::agreement, tree.surrogates.agreement[s]);
      sink_.real(Part::adjusted, tree.surrogates.adjusted[s]);
    }
  }

  void send_test(const TestTable& tests, std::size_t i, std::size_t shift) {
    const auto at = [shift](Part part) { return static_cast<Part>(place_of(part) + shift); };
    const TestKind kind = tests.kind[i];
    if (kind == TestKind::expression) return send_tokens(tests.tokens(i), shift);
    sink_.whole(at(Part::feature), static_cast<std::uint64_t>(tests.feature[i]));
    if (kind == TestKind::threshold) return sink_.real(at(Part::threshold), tests.threshold[i]);
    sink_.whole(at(Part::n_codes), static_cast<std::uint64_t>(tests.code_begin[i + 1] - tests.code_begin[i]));
    for (std::int64_t c = tests.code_begin[i]; c < tests.code_begin[i + 1]; ++c) {
      sink_.whole(at(Part::code), static_cast<std::uint64_t>(tests.code[c]));
      sink_.whole(at(Part::branch), static_cast<std::uint64_t>(tests.branch[c]));
    }
    if (kind != TestKind::multiway) return;
    sink_.whole(at(Part::n_cuts), static_cast<std::uint64_t>(tests.cut_begin[i + 1] - tests.cut_begin[i]));
    for (std::int64_t c = tests.cut_begin[i]; c < tests.cut_begin[i + 1]; ++c) sink_.real(at(Part::cut), tests.cut[c]);
  }

  void send_tokens(std::span<const Token> tokens, std::size_t shift) {
    const auto at = [shift](Part part) { return static_cast<Part>(place_of(part) + shift); };
    sink_.whole(at(Part::n_tokens), tokens.size());
    for (const Token& token : tokens) {
      sink_.whole(at(Part::op), static_cast<std::uint64_t>(token.op));
      if (token.op == Op::column) sink_.whole(at(Part::column), static_cast<std::uint64_t>(token.arg));
      if (token.op == Op::constant) sink_.real(at(Part::constant), token.value);
    }
  }

  Sink& sink_;
};

/// Counts, and looks what types are needed.
struct Measure {
  ByPart<Range> ranges{};
  void whole(Part part, std::uint64_t v) { ranges[place_of(part)].add_whole(v); }
  void real(Part part, double v) { ranges[place_of(part)].add_real(v); }
  void reals(Part part, std::span<const double> values) {
    Range range;
    for (const double v : values) range.add_real(v);
    ranges[place_of(part)].join(range);
  }
};

/// Writes, each part from a place of its own.
struct Write {
  StoredParts& parts;
  ByPart<std::size_t> at;

  template <class T>
  void put(Part part, T v) {
    Stored& stored = parts[place_of(part)];
    if (stored.bytes.empty()) return;  // left out
    const std::size_t place = at[place_of(part)]++;
    with_type(stored.type, [&](auto example) {
      example = static_cast<decltype(example)>(v);
      std::memcpy(stored.bytes.data() + place * sizeof(example), &example, sizeof(example));
    });
  }
  void whole(Part part, std::uint64_t v) { put(part, v); }
  void real(Part part, double v) { put(part, v); }
  void reals(Part part, std::span<const double> values) {
    Stored& stored = parts[place_of(part)];
    if (stored.bytes.empty()) return;  // left out
    std::byte* out = stored.bytes.data() + at[place_of(part)] * size_of(stored.type);
    at[place_of(part)] += values.size();
    with_type(stored.type, [&](auto example) {
      for (const double v : values) {
        example = static_cast<decltype(example)>(v);
        std::memcpy(out, &example, sizeof(example));
        out += sizeof(example);
      }
    });
  }
};

struct Told {
  bool weight = true, impurity = true, risk = true;
};

Told told_by(const Tree& tree) {
  Told told;
  for (NodeId node = 0; node < static_cast<NodeId>(tree.n_nodes()); ++node) {
    told.weight = told.weight && same_bits(tree.weight[node], told_weight(tree, node));
    told.impurity = told.impurity && same_bits(tree.impurity[node], told_impurity(tree, node));
    told.risk = told.risk && same_bits(tree.risk[node], told_risk(tree, node));
  }
  return told;
}

struct Measured {
  Measure measure;
  Told told;
};

/// trees(i) is one of n trees, groups(i) are its groups.
template <class Trees, class Groups>
StoredParts store_all(std::size_t n, std::size_t n_features, const Trees& trees, const Groups& groups,
                      ThreadTeam& team) {
  std::vector<Measured> measured(n);
  team.run(n, [&](std::size_t i, std::size_t) {
    const Tree& tree = trees(i);
    Sender<Measure>(measured[i].measure).send(tree, groups(i));
    measured[i].told = told_by(tree);
  });
  ByPart<Range> ranges{};
  Told told;
  std::vector<ByPart<std::size_t>> begins(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < kParts; ++p) {
      begins[i][p] = ranges[p].size;
      ranges[p].join(measured[i].measure.ranges[p]);
    }
    told.weight = told.weight && measured[i].told.weight;
    told.impurity = told.impurity && measured[i].told.impurity;
    told.risk = told.risk && measured[i].told.risk;
  }
  if (told.weight) ranges[place_of(Part::weight)] = {};
  if (told.impurity) ranges[place_of(Part::impurity)] = {};
  if (told.risk) ranges[place_of(Part::risk)] = {};
  if (ranges[place_of(Part::n_surrogates)].most == 0) ranges[place_of(Part::n_surrogates)] = {};
  ranges[place_of(Part::n_features)].add_whole(n_features);
  StoredParts parts;
  for (std::size_t p = 0; p < kParts; ++p) {
    const StoredType type = ranges[p].type();
    parts[p] = {type, ranges[p].size, std::vector<std::byte>(ranges[p].size * size_of(type))};
  }
  Write{parts, {}}.whole(Part::n_features, n_features);
  team.run(n, [&](std::size_t i, std::size_t) {
    Write write{parts, begins[i]};
    Sender<Write>(write).send(trees(i), groups(i));
  });
  return parts;
}

}  // namespace

StoredParts store(const Tree& tree) {
  ThreadTeam alone(1);
  return store_all(
      1, static_cast<std::size_t>(tree.n_features), [&](std::size_t) -> const Tree& { return tree; },
      [](std::size_t) { return std::span<const std::int32_t>(); }, alone);
}

StoredParts store(const Forest& forest, ThreadTeam& team) {
  return store_all(
      forest.size(), static_cast<std::size_t>(forest.n_features()),
      [&](std::size_t i) { return forest.member(i).tree.unpack(); },
      [&](std::size_t i) { return std::span<const std::int32_t>(forest.member(i).groups); }, team);
}

}  // namespace spinney
