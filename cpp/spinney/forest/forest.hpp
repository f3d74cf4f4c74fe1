#pragma once
// Many trees as one structure: rows go down all of them, and their answers are added up.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "spinney/forest/coded.hpp"
#include "spinney/tree/packed.hpp"
#include "spinney/tree/predict.hpp"

namespace spinney {

/// How the answer of a leaf is counted: a vote for its label, or its class shares (its mean in regression).
enum class Combine : std::uint8_t { vote, average };

struct Member {
  PackedTree tree;
  std::vector<std::int32_t> groups;  // regrouped targets: a vote for group g counts for its classes; else empty
};

class Forest {
 public:
  Forest() = default;
  explicit Forest(std::vector<Member> members);
  Forest(const Forest&) = delete;
  Forest& operator=(const Forest&) = delete;
  Forest(Forest&&) = default;
  Forest& operator=(Forest&&) = default;

  std::size_t size() const { return members_.size(); }
  const Member& member(std::size_t i) const { return members_[i]; }
  std::int32_t n_classes() const { return n_classes_; }
  std::size_t n_outputs() const { return n_classes_ > 0 ? static_cast<std::size_t>(n_classes_) : 1; }
  std::int32_t n_features() const { return n_features_; }

  /// What does not fit together, naming the tree; empty if all does.
  std::string check() const;

  /// Adds the weighted answers of the chosen members to out: n_rows * n_outputs. No weights: all 1.
  void add_answers(std::span<const std::int64_t> chosen, std::span<const double> weights, const Matrix& x,
                   Combine combine, double* out, const Work& work) const;
  /// out: chosen.size() * n_rows answers, each a class code (or group), or a mean.
  void answers(std::span<const std::int64_t> chosen, const Matrix& x, double* out, const Work& work) const;
  /// out: n_rows * size() leaves; the rule for missing values is taken as if rows went whole.
  void apply(const Matrix& x, NodeId* out, const Work& work) const;
  /// The same of the chosen members: by place in `chosen`, then row.
  std::vector<std::vector<NodeId>> leaves(std::span<const std::int64_t> chosen, const Matrix& x,
                                          const Work& work) const;

 private:
  struct Block;
  struct Scratch;
  void for_blocks(std::span<const std::int64_t> chosen, const Matrix& x, const Work& work,
                  const std::function<void(const Block&)>& take) const;
  void run_block(std::span<const std::int64_t> chosen, const RowRange& rows, const CodedForest* coded, Scratch& scratch,
                 const Work& work, const std::function<void(const Block&)>& take) const;
  void route(std::size_t member, const Matrix& x, std::size_t begin, std::size_t end, NodeId* leaf) const;
  void route_few(std::span<const std::int64_t> chosen, const Matrix& x, std::size_t begin, std::size_t end,
                 NodeId* leaf) const;
  /// The same trees for many rows, made when so much has been asked that it pays; null before that.
  const CodedForest* coded(std::size_t n_rows, std::size_t n_chosen, Interrupt& interrupt) const;
  void add_leaves(const Block& block, double weight, Combine combine, double* out) const;
  void add_block(const Block& block, double weight, const Matrix& x, Combine combine, double* out) const;
  double answer(const Block& block, const Matrix& x, std::size_t row) const;

  struct Coding {
    std::atomic<std::uint64_t> asked = 0;  // ways of rows through trees, of all calls
    std::atomic<bool> ready = false;
    std::mutex making;
    std::optional<CodedForest> forest;
  };
  std::vector<Member> members_;
  std::int32_t n_classes_ = 0, n_features_ = 0;
  std::uint64_t n_nodes_ = 0;
  std::unique_ptr<Coding> coding_ = std::make_unique<Coding>();
};

}  // namespace spinney
