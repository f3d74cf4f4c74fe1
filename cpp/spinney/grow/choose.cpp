#include "spinney/grow/choose.hpp"

#include <algorithm>
#include <bit>

namespace spinney {

namespace {

constexpr std::uint64_t kBestStream = 0xa0761d6478bd642fULL;  // apart from the stream that draws columns

}  // namespace

ColumnList allowed_columns(const GrowParams& params, std::size_t n_columns) {
  return std::make_shared<const std::vector<FeatureIndex>>(asked_columns(params.features, n_columns));
}

bool gains_enough(const GrowParams& params, double drop, double total_weight) {
  const double least = params.min_impurity_decrease * (1.0 - tolerance::kSum);
  return !(least > 0.0) || drop / total_weight >= least;
}

Limits limits_of(const GrowParams& params, double total_weight, double row_weight) {
  const auto rows = static_cast<std::size_t>(params.min_samples_leaf);
  const double weight = params.min_weight_fraction_leaf * total_weight;
  return row_weight > 0.0 ? Limits::of_rows(rows, weight, row_weight) : Limits{rows, weight};
}

void ColumnDraw::start(const GrowParams& params, PathKey path, const std::vector<FeatureIndex>& columns) {
  random_ = RandomStream(params.seed, path);
  most_ = static_cast<std::size_t>(params.max_features);
  rest_ = columns;
  few_ = columns.empty() || columns.back() < 64;
  tried_.clear();
}

std::span<const FeatureIndex> ColumnDraw::next() {
  const std::size_t begin = tried_.size();
  const std::size_t end = std::min(rest_.size(), begin + (begin == 0 ? most_ : 1));
  std::uint64_t drawn = 0;  // as bits, which come in order
  for (std::size_t i = begin; i < end; ++i) {
    std::swap(rest_[i], rest_[i + random_.below(rest_.size() - i)]);
    drawn |= std::uint64_t{1} << (rest_[i] % 64);
  }
  tried_.insert(tried_.end(), rest_.begin() + static_cast<std::ptrdiff_t>(begin),
                rest_.begin() + static_cast<std::ptrdiff_t>(end));
  const std::span<FeatureIndex> next = std::span(tried_).subspan(begin);
  if (few_) {
    for (FeatureIndex& column : next) {
      column = std::countr_zero(drawn);
      drawn &= drawn - 1;
    }
  } else {
    std::ranges::sort(next);
  }
  return next;
}

void SplitChooser::clear_results(std::size_t n) {
  if (kept_.size() < n) kept_.resize(n);
  results_ = std::span(kept_).first(n);
  for (ColumnResult& result : results_) result.clear();
}

std::size_t SplitChooser::best_place(double slack) const {
  std::size_t best = results_.size();
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (!results_[i].split.found()) continue;
    if (best == results_.size() || results_[i].split.drop > results_[best].split.drop + slack) best = i;
  }
  return best;
}

std::size_t SplitChooser::unordered(double slack) const {
  if (params_.monotone.empty()) return results_.size();
  const auto is_unordered = [](const ColumnResult& result) { return !result.ordered; };
  if (params_.n_best_splits > 1)
    return static_cast<std::size_t>(std::ranges::find_if(results_, is_unordered) - results_.begin());
  const std::size_t best = best_place(slack);
  return best < results_.size() && is_unordered(results_[best]) ? best : results_.size();
}

Split SplitChooser::pick(PathKey path, ColumnList& columns, std::span<const FeatureIndex> searched, double slack) {
  const std::size_t best = best_place(slack);
  const bool some_constant =
      std::any_of(results_.begin(), results_.end(), [](const ColumnResult& result) { return result.constant; });
  if (some_constant) strike_constants(columns, searched);
  if (best == results_.size() || results_[best].split.drop < -slack) return {};
  return std::move(results_[params_.n_best_splits > 1 ? one_of_the_best(path) : best].split);
}

void SplitChooser::strike_constants(ColumnList& columns, std::span<const FeatureIndex> searched) const {
  std::vector<FeatureIndex> kept = *columns;
  for (std::size_t i = 0; i < searched.size(); ++i) {
    if (results_[i].constant) std::erase(kept, searched[i]);
  }
  columns = std::make_shared<const std::vector<FeatureIndex>>(std::move(kept));
}

/// The place of one of the n_best_splits best results, each as likely; the first of equals come first.
std::size_t SplitChooser::one_of_the_best(PathKey path) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].split.found() && results_[i].split.drop >= 0.0) found.push_back(i);
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](std::size_t a, std::size_t b) { return results_[a].split.drop > results_[b].split.drop; });
  const std::size_t n = std::min(found.size(), static_cast<std::size_t>(params_.n_best_splits));
  return found[RandomStream(params_.seed ^ kBestStream, path).below(n)];
}

}  // namespace spinney
