#pragma once
// The tree as Python holds it: immutable, with its predictor made on first use.

#include <memory>
#include <mutex>

#include "spinney/tree/predict.hpp"

namespace spinney::bindings {

class BoundTree {
 public:
  explicit BoundTree(Tree tree) : tree_(std::move(tree)) {}
  const Tree& tree() const { return tree_; }
  const Predictor& predictor() const {
    std::call_once(once_, [this] { predictor_ = std::make_unique<Predictor>(tree_); });
    return *predictor_;
  }

 private:
  Tree tree_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<Predictor> predictor_;
};

}  // namespace spinney::bindings
