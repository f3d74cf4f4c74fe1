#pragma once
// Trees whose tests are evolved, one generation at a time. Between two generations everything that is to be known is
// a list of the tests found so far and the state of the present search, so that an evolution can be stopped, written
// down, and go on later to the same result.

#include <memory>
#include <optional>

#include "spinney/evolve/search.hpp"
#include "spinney/grow/stats.hpp"

namespace spinney {

struct EvolvePlan {
  EvolveParams search;
  double min_entropy = 0.65;   // bits: less in a node, and it is a leaf
  double min_variance = 0.0;   // the same for numbers, as a share of the root's
  double min_fraction = 0.05;  // of all the weight: less in a node, and it is a leaf
  std::int64_t max_depth = 1 << 30;
  std::int64_t n_trees = 1;
  bool diverse_roots = false;  // roots are judged by what the earlier ones left
};

/// A language with a plan: all that a learner of evolved trees needs.
struct EvolveSettings {
  std::shared_ptr<const Language> language;
  EvolvePlan plan;
};

struct EvolveInput {
  const Dataset& data;
  const Target& target;
  const ObjectiveChoice& criterion;  // of the numbers that nodes keep
  const Samples& samples;
  const EvolveSettings& settings;
  std::uint64_t seed;
};

class Evolution {
 public:
  explicit Evolution(const EvolveInput& input);
  ~Evolution();

  /// Goes on from what another evolution of the same data and settings knew.
  void resume(std::vector<std::vector<Token>> tests, SearchState search, std::int64_t n_evaluations);
  bool is_done() const { return static_cast<std::int64_t>(trees_.size()) == plan_.n_trees; }
  /// One generation of the present search.
  void step(ThreadTeam& team, Interrupt& interrupt);

  const std::vector<Tree>& trees() const { return trees_; }
  std::vector<Tree> take_trees() && { return std::move(trees_); }
  /// The tests found, in the order in which they were; an empty one where none divides the node.
  const std::vector<std::vector<Token>>& tests() const { return tests_; }
  const SearchState* search() const;
  std::int64_t n_evaluations() const { return n_evaluations_; }

 private:
  struct Open {
    NodeId node;
    std::int64_t depth;
    std::vector<SampleIndex> group;
    Summary summary;
  };
  struct Task;  // the present search with what it looks at

  void begin_tree();
  void open(Open node);
  bool may_divide(const Open& node) const;
  void advance();
  void begin_search();
  bool divide(const std::vector<Token>& test);
  void replay();
  NodeColumns gather(const std::vector<SampleIndex>& group) const;

  EvolveInput in_;
  const EvolvePlan& plan_;
  Summarizer summarizer_;
  std::optional<TreeBuilder> builder_;
  std::vector<Open> open_;  // a stack
  std::unique_ptr<Task> task_;
  std::vector<Tree> trees_;
  std::vector<Bits> roots_;  // the samples for which each root is true
  std::vector<std::vector<Token>> tests_;
  std::size_t n_replayed_ = 0;
  double total_weight_ = 0.0, root_impurity_ = 0.0;
  std::int64_t n_evaluations_ = 0;
};

}  // namespace spinney
