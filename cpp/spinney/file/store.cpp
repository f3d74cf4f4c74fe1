#include <algorithm>
#include <numeric>
#include <type_traits>

#include "spinney/data/target.hpp"
#include "spinney/file/codec.hpp"

namespace spinney {

namespace {

/// Sends every number of a tree to its part, in order, but for plain arrays that are left out. A sink has
/// whole(part, n), real(part, x), and wholes and reals for many.
template <class Sink>
class Sender {
 public:
  Sender(Sink& sink, const FieldFlags& left_out) : sink_(sink), left_out_(left_out) {}

  void send(const Tree& tree, std::span<const std::int32_t> groups) {
    send_head(tree, tree.n_nodes(), groups);
    sink_.wholes(Part::kind, std::span<const TestKind>(tree.tests.kind));
    send_inner(tree);
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
      if (tree.tests.kind[node] > TestKind::threshold) send_lists(tree.tests, node, 0);
      send_surrogates(tree, node);
    }
  }

  /// A tree that is packed, from its arrays.
  void send(const PackedTree& tree, std::span<const std::int32_t> groups) {
    const PackedArrays& from = tree.arrays();
    const std::size_t n = tree.n_nodes();
    send_head(tree.tree(), n, groups);
    kinds_.resize(n);
    listed_.resize(n + 1);
    std::size_t n_inner = 0;
    for (std::size_t node = 0; node < n; ++node) {
      listed_[n_inner] = static_cast<NodeId>(node);
      kinds_[node] = from.is_leaf(static_cast<NodeId>(node)) ? 0 : 1;
      n_inner += kinds_[node];
    }
    listed_.resize(n_inner);
    sink_.wholes(Part::kind, std::span<const std::uint8_t>(kinds_));
    for_each_field([&](const auto& field) {
      if (left_out_[place_of_field(field)]) return;
      const auto& array = from.of(field);
      if constexpr (std::remove_cvref_t<decltype(field)>::kWhole) {
        send_all(part_for(field), array);
      } else {
        array.visit([&](const auto& numbers) { send_all(part_for(field), numbers); });
      }
    });
    gather(Part::child, wholes_,
           [&](NodeId node) { return static_cast<std::uint32_t>(from.nodes[node].child - node); });
    gather(Part::default_branch, wholes_, [&](NodeId node) { return std::uint32_t{from.default_branch[node]}; });
    gather(Part::n_surrogates, wholes_, [&](NodeId) { return std::uint32_t{0}; });
    gather(Part::feature, wholes_, [&](NodeId node) { return static_cast<std::uint32_t>(from.nodes[node].feature); });
    gather(Part::threshold, reals_, [&](NodeId node) { return from.nodes[node].threshold; });
  }

 private:
  void send_head(const Tree& tree, std::size_t n_nodes, std::span<const std::int32_t> groups) {
    sink_.whole(Part::n_nodes, n_nodes);
    sink_.whole(Part::n_classes, static_cast<std::uint64_t>(tree.n_classes));
    sink_.whole(Part::missing, static_cast<std::uint64_t>(tree.missing));
    sink_.whole(Part::n_costs, tree.cost.size());
    sink_.reals(Part::cost, std::span<const double>(tree.cost));
    sink_.whole(Part::n_groups, groups.size());
    sink_.wholes(Part::group, groups);
    sink_.whole(Part::n_objective, tree.objective.size());
    sink_.wholes(Part::objective, std::span<const char>(tree.objective));
    std::vector<std::uint8_t> signs;
    for (const std::int8_t sign : tree.monotone) signs.push_back(static_cast<std::uint8_t>(sign + 1));
    sink_.whole(Part::n_monotone, signs.size());
    sink_.wholes(Part::monotone, std::span<const std::uint8_t>(signs));
  }

  /// What tests have without their lists: that is most of a forest.
  void send_inner(const Tree& tree) {
    const auto small = [](auto v) { return static_cast<std::uint32_t>(v); };
    list(tree, [](TestKind kind) { return kind != TestKind::leaf; });
    gather(Part::child, wholes_, [&](NodeId node) { return small(tree.first_child[node] - node); });
    gather(Part::default_branch, wholes_, [&](NodeId node) { return small(tree.default_branch[node]); });
    gather(Part::n_surrogates, wholes_, [&](NodeId node) { return small(tree.surrogates.lists.length(node)); });
    for_each_field([&](const auto& field) {
      if (!left_out_[place_of_field(field)]) send_field(field, tree);
    });
    list(tree, [](TestKind kind) { return kind != TestKind::leaf && kind != TestKind::expression; });
    gather(Part::feature, wholes_, [&](NodeId node) { return small(tree.tests.feature[node]); });
    list(tree, [](TestKind kind) { return kind == TestKind::threshold; });
    gather(Part::threshold, reals_, [&](NodeId node) { return tree.tests.threshold[node]; });
    list(tree, [](TestKind kind) { return kind == TestKind::multiway; });
    gather(Part::n_children, wholes_, [&](NodeId node) { return small(tree.n_children[node]); });
  }

  /// Lists the nodes of some kinds, without a branch that nobody could guess.
  template <class Has>
  void list(const Tree& tree, const Has& has) {
    listed_.resize(tree.n_nodes());
    std::size_t n = 0;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
      listed_[n] = static_cast<NodeId>(node);
      n += has(tree.tests.kind[node]) ? 1 : 0;
    }
    listed_.resize(n);
  }

  template <class T, class ValueOf>
  void gather(Part part, std::vector<T>& out, const ValueOf& value_of) {
    out.resize(listed_.size());
    for (std::size_t i = 0; i < listed_.size(); ++i) out[i] = value_of(listed_[i]);
    send_all(part, out);
  }

  template <class T>
  void send_all(Part part, const std::vector<T>& numbers) {
    if constexpr (std::is_floating_point_v<T>) {
      sink_.reals(part, std::span<const T>(numbers));
    } else {
      sink_.wholes(part, std::span<const T>(numbers));
    }
  }

  /// A plain array; the inner nodes are listed.
  template <class F>
  void send_field(const F& field, const Tree& tree) {
    using Number = typename F::Number;
    if constexpr (std::is_same_v<typename F::Array, std::vector<Number>>) {
      if (!field.inner_only && !field.is_left_out(tree)) return send_all(part_for(field), field.in(tree));
    }
    std::vector<Number> numbers;
    if (field.inner_only) return gather(part_for(field), numbers, [&](NodeId node) { return field.at(tree, node); });
    numbers.resize(tree.n_nodes() * field.width(tree));
    for (std::size_t entry = 0; entry < numbers.size(); ++entry) numbers[entry] = field.at(tree, entry);
    send_all(part_for(field), numbers);
  }

  void send_surrogates(const Tree& tree, std::size_t node) {
    const SurrogateTable& table = tree.surrogates;
    for (std::int64_t s = table.lists.begin(node); s < table.lists.end(node); ++s) {
      const TestKind kind = table.tests.kind[s];
      sink_.whole(Part::surrogate_kind, static_cast<std::uint64_t>(kind));
      if (kind != TestKind::expression)
        sink_.whole(Part::surrogate_feature, static_cast<std::uint64_t>(table.tests.feature[s]));
      if (kind == TestKind::threshold) sink_.real(Part::surrogate_threshold, table.tests.threshold[s]);
      if (kind > TestKind::threshold) send_lists(table.tests, static_cast<std::size_t>(s), kToSurrogates);
      sink_.whole(Part::reversed, table.reversed[s]);
      sink_.real(Part::agreement, table.agreement[s]);
      sink_.real(Part::adjusted, table.adjusted[s]);
    }
  }

  /// The categories, cuts or tokens of a test.
  void send_lists(const TestTable& tests, std::size_t i, std::size_t shift) {
    const auto at = [shift](Part part) { return static_cast<Part>(place_of(part) + shift); };
    const TestKind kind = tests.kind[i];
    if (kind == TestKind::expression) return send_tokens(tests.tokens(i), shift);
    sink_.whole(at(Part::n_codes), static_cast<std::uint64_t>(tests.code_lists.length(i)));
    for (std::int64_t c = tests.code_lists.begin(i); c < tests.code_lists.end(i); ++c) {
      sink_.whole(at(Part::code), static_cast<std::uint64_t>(tests.code[c]));
      sink_.whole(at(Part::branch), static_cast<std::uint64_t>(tests.branch[c]));
    }
    if (kind != TestKind::multiway) return;
    sink_.whole(at(Part::n_cuts), static_cast<std::uint64_t>(tests.cut_lists.length(i)));
    for (std::int64_t c = tests.cut_lists.begin(i); c < tests.cut_lists.end(i); ++c)
      sink_.real(at(Part::cut), tests.cut[c]);
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
  const FieldFlags& left_out_;
  std::vector<std::uint8_t> kinds_;
  std::vector<NodeId> listed_;
  std::vector<std::uint32_t> wholes_;
  std::vector<double> reals_;
};

/// Counts, and looks what types are needed.
struct Measure {
  ByPart<Range> ranges{};
  void whole(Part part, std::uint64_t v) { ranges[place_of(part)].add_whole(v); }
  void real(Part part, double v) { ranges[place_of(part)].add_real(v); }
  template <class T>
  void reals(Part part, std::span<const T> values) {
    ranges[place_of(part)].add_reals(values);
  }
  template <class T>
  void wholes(Part part, std::span<const T> values) {
    ranges[place_of(part)].add_wholes(values);
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
  template <class T>
  void reals(Part part, std::span<const T> values) {
    put_all(part, values);
  }
  template <class T>
  void wholes(Part part, std::span<const T> values) {
    put_all(part, values);
  }
  template <class T>
  void put_all(Part part, std::span<const T> values) {
    Stored& stored = parts[place_of(part)];
    if (stored.bytes.empty()) return;  // left out
    std::byte* out = stored.bytes.data() + at[place_of(part)] * size_of(stored.type);
    at[place_of(part)] += values.size();
    with_type(stored.type, [&](auto example) {
      for (const T v : values) {
        example = static_cast<decltype(example)>(v);
        std::memcpy(out, &example, sizeof(example));
        out += sizeof(example);
      }
    });
  }
};

FieldFlags follow(const Tree& tree) {
  FieldFlags flags;
  for_each_field([&](const auto& field) { flags[place_of_field(field)] = field.follows(tree); });
  return flags;
}

/// A tree that is packed has left out all that it can.
FieldFlags follow(const PackedTree& tree) {
  if (!tree.is_packed()) return follow(tree.tree());
  FieldFlags flags;
  for_each_field([&](const auto& field) {
    flags[place_of_field(field)] = field.may_be_left_out(tree.tree()) && tree.arrays().of(field).empty();
  });
  return flags;
}

/// One of the trees to store. `use` is called with it, unpacked if it lacks arrays that have to be stored.
template <class Use>
void with_member(const Tree& tree, const FieldFlags&, const Use& use) {
  use(tree);
}
template <class Use>
void with_member(const PackedTree& tree, const FieldFlags& left_out, const Use& use) {
  if (!tree.is_packed()) return use(tree.tree());
  if (follow(tree) == left_out) return use(tree);
  use(tree.unpack());
}

/// The arrays of the parts, without entries yet.
StoredParts make_room(const ByPart<Range>& ranges) {
  StoredParts parts;
  for (std::size_t p = 0; p < kParts; ++p) {
    const StoredType type = ranges[p].type();
    parts[p] = {.type = type, .size = ranges[p].size, .bytes = std::vector<std::byte>(ranges[p].size * size_of(type))};
  }
  return parts;
}

/// member(i) is one of n trees, packed or not; groups(i) are its groups.
template <class MemberOf, class GroupsOf>
StoredParts store_all(std::size_t n, std::size_t n_features, const MemberOf& member, const GroupsOf& groups,
                      ThreadTeam& team) {
  std::vector<FieldFlags> can_leave_out(n);
  team.run(n, [&](std::size_t i, std::size_t) { can_leave_out[i] = follow(member(i)); });
  FieldFlags left_out;  // what one tree has to store, all have to
  for (std::size_t f = 0; f < kNumFields; ++f)
    left_out[f] =
        std::all_of(can_leave_out.begin(), can_leave_out.end(), [f](const FieldFlags& one) { return one[f]; });
  std::vector<Measure> measured(n);
  team.run(n, [&](std::size_t i, std::size_t) {
    const auto measure = [&](const auto& tree) { Sender<Measure>(measured[i], left_out).send(tree, groups(i)); };
    with_member(member(i), left_out, measure);
  });
  ByPart<Range> ranges{};
  std::vector<ByPart<std::size_t>> begins(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < kParts; ++p) {
      begins[i][p] = ranges[p].size;
      ranges[p].join(measured[i].ranges[p]);
    }
  }
  if (ranges[place_of(Part::n_surrogates)].most == 0) ranges[place_of(Part::n_surrogates)] = {};
  for (const Part part : {Part::n_objective, Part::n_monotone}) {
    if (ranges[place_of(part)].most == 0) ranges[place_of(part)] = {};
  }
  ranges[place_of(Part::n_features)].add_whole(n_features);
  StoredParts parts = make_room(ranges);
  Write{.parts = parts, .at = {}}.whole(Part::n_features, n_features);
  team.run(n, [&](std::size_t i, std::size_t) {
    Write write{.parts = parts, .at = begins[i]};
    const auto send = [&](const auto& tree) { Sender<Write>(write, left_out).send(tree, groups(i)); };
    with_member(member(i), left_out, send);
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
      [&](std::size_t i) -> const PackedTree& { return forest.member(i).tree; },
      [&](std::size_t i) { return std::span<const std::int32_t>(forest.member(i).groups); }, team);
}

}  // namespace spinney
