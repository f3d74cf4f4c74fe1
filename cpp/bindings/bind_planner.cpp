// Growth by bins in parts that know nothing of each other: what planner and workers say is bytes.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_dataset.hpp"
#include "bound_target.hpp"
#include "bound_tree.hpp"
#include "hosted.hpp"
#include "spinney/data/border_search.hpp"
#include "spinney/grow/planner.hpp"
#include "spinney/grow/worker.hpp"

namespace spinney::bindings {

namespace {

/// Numbers and arrays behind each other, for a reader of the same version on the same kind of machine.
class Writer {
 public:
  template <class T>
  void one(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    out_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  template <class T>
  void many(const std::vector<T>& values) {
    one<std::uint64_t>(values.size());
    if (!values.empty()) out_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  nb::bytes bytes() const { return nb::bytes(out_.data(), out_.size()); }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(const nb::bytes& from) : at_(from.c_str()), left_(from.size()) {}

  template <class T>
  T one() {
    T value{};
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> many() {
    const auto n = one<std::uint64_t>();
    if (n > left_ / sizeof(T)) throw std::invalid_argument("a message that ends too early");
    std::vector<T> values(n);
    if (n > 0) std::memcpy(values.data(), take(n * sizeof(T)), n * sizeof(T));
    return values;
  }

 private:
  const char* take(std::size_t n) {
    if (n > left_) throw std::invalid_argument("a message that ends too early");
    left_ -= n;
    return std::exchange(at_, at_ + n);
  }
  const char* at_;
  std::size_t left_;
};

void write(Writer& to, const Test& test) {
  to.one(test.kind);
  to.one(test.feature);
  to.one(test.threshold);
  to.one<std::uint64_t>(test.codes.size());
  for (const auto& [code, branch] : test.codes) {
    to.one(code);
    to.one(branch);
  }
}

Test read_test(Reader& from) {
  Test test;
  test.kind = from.one<TestKind>();
  test.feature = from.one<FeatureIndex>();
  test.threshold = from.one<double>();
  test.codes.resize(from.one<std::uint64_t>());
  for (auto& [code, branch] : test.codes) {
    code = from.one<std::int32_t>();
    branch = from.one<std::int32_t>();
  }
  return test;
}

void write(Writer& to, const Divisions& divisions) {
  to.many(divisions.node);
  to.many(divisions.first_child);
  to.many(divisions.default_branch);
  for (std::size_t i = 0; i < divisions.size(); ++i) write(to, divisions.tests.get(i));
  const Lists& lists = divisions.surrogates.lists;
  to.one<std::uint64_t>(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    to.one(lists.length(i));
    for (std::int64_t s = lists.begin(i); s < lists.end(i); ++s) {
      const Surrogate surrogate = divisions.surrogates.get(static_cast<std::size_t>(s));
      write(to, surrogate.test);
      to.one<std::uint8_t>(surrogate.reversed ? 1 : 0);
    }
  }
}

Divisions read_divisions(Reader& from) {
  Divisions out{from.many<NodeId>(), from.many<NodeId>(), {}, {}, from.many<std::int32_t>()};
  for (std::size_t i = 0; i < out.size(); ++i) out.tests.append(read_test(from));
  const auto n_lists = from.one<std::uint64_t>();
  for (std::uint64_t i = 0; i < n_lists; ++i) {
    const auto n = from.one<std::int64_t>();
    for (std::int64_t s = 0; s < n; ++s) {
      Surrogate surrogate{read_test(from)};
      surrogate.reversed = from.one<std::uint8_t>() != 0;
      out.surrogates.append(surrogate);
    }
    out.surrogates.close_node();
  }
  return out;
}

nb::bytes to_bytes(const Request& request) {
  Writer to;
  to.many(request.histograms);
  write(to, request.tallies);
  write(to, request.divisions);
  to.many(request.rows);
  return to.bytes();
}

Request read_request(const nb::bytes& bytes) {
  Reader from(bytes);
  Request out;
  out.histograms = from.many<NodeId>();
  out.tallies = read_divisions(from);
  out.divisions = read_divisions(from);
  out.rows = from.many<NodeId>();
  return out;
}

void write(Writer& to, const std::vector<Histogram>& histograms) {
  to.one<std::uint64_t>(histograms.size());
  if (histograms.empty()) return;
  to.many(histograms[0].layout().first);
  to.one<std::uint64_t>(histograms[0].layout().width);
  for (const Histogram& histogram : histograms) to.many(histogram.numbers());
}

std::vector<Histogram> read_histograms(Reader& from) {
  const auto n = from.one<std::uint64_t>();
  std::vector<Histogram> out;
  if (n == 0) return out;
  auto layout = std::make_shared<HistogramLayout>();
  layout->first = from.many<std::uint64_t>();
  layout->width = from.one<std::uint64_t>();
  for (std::uint64_t i = 0; i < n; ++i) out.emplace_back(layout, from.many<std::int64_t>());
  return out;
}

nb::bytes to_bytes(const Answer& answer) {
  Writer to;
  write(to, answer.histograms);
  write(to, answer.tallies);
  to.one<std::uint64_t>(answer.children.width);
  to.many(answer.children.numbers);
  to.many(answer.children.y_low);
  to.many(answer.children.y_high);
  to.one<std::uint64_t>(answer.rows.size());
  for (const RowBlock& block : answer.rows) {
    to.many(block.number);
    to.many(block.values);
    to.many(block.codes);
    to.many(block.y);
    to.many(block.weight);
    to.many(block.exposure);
  }
  return to.bytes();
}

Answer read_answer(const nb::bytes& bytes) {
  Reader from(bytes);
  Answer out;
  out.histograms = read_histograms(from);
  out.tallies = read_histograms(from);
  out.children.width = from.one<std::uint64_t>();
  out.children.numbers = from.many<std::int64_t>();
  out.children.y_low = from.many<double>();
  out.children.y_high = from.many<double>();
  const auto n = from.one<std::uint64_t>();
  for (std::uint64_t i = 0; i < n; ++i) {
    RowBlock block;
    block.number = from.many<std::uint64_t>();
    block.values = from.many<double>();
    block.codes = from.many<std::int32_t>();
    block.y = from.many<double>();
    block.weight = from.many<double>();
    block.exposure = from.many<double>();
    out.rows.push_back(std::move(block));
  }
  return out;
}

/// Targets and weights of rows as Python has them: class codes in 8 or 16 bits or as doubles, numbers as doubles; a
/// weight for each row, or one for all; perhaps how many times each row counts.
class GivenRows {
 public:
  using Truth = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Times = std::optional<Vector<std::uint8_t>>;

  GivenRows(std::int32_t n_classes, const Truth& truth, const Vector<double>& weight, const Times& times,
            const Vector<double>& exposure)
      : n_(truth.shape(0)), n_classes_(n_classes), truth_(truth), weight_(weight), times_(times), exposure_(exposure) {
    const std::size_t n_weights = weight.shape(0), n_exposures = exposure.shape(0);
    if ((n_weights != 1 && n_weights != n_) || (times && times->shape(0) != n_) ||
        (n_exposures != 0 && n_exposures != n_))
      throw std::invalid_argument("truth, weight, times and exposure differ in length");
    const bool codes = truth.dtype() == nb::dtype<std::uint8_t>() || truth.dtype() == nb::dtype<std::uint16_t>();
    if (truth.dtype() != nb::dtype<double>() && !(codes && n_classes > 0))
      throw std::invalid_argument("truth must be doubles, or class codes in 8 or 16 bits");
  }

  std::size_t size() const { return n_; }
  double weight(std::size_t row) const {
    const double one = weight_.data()[weight_.shape(0) == 1 ? 0 : row];
    return times_ ? one * times_->data()[row] : one;
  }
  Row number(std::size_t row) const {
    return {0, doubles()[row], weight(row), exposure_.shape(0) == 0 ? 1.0 : exposure_.data()[row]};
  }
  RowBounds bounds(const NumberMoments& objective) const {
    RowBounds out;
    for (std::size_t row = 0; row < n_; ++row) {
      const double w = weight(row);
      if (!(w > 0.0)) continue;
      n_classes_ > 0 ? out.add_weight(w) : out.add(number(row), objective);
    }
    return out;
  }
  /// As workers take them; rows of weight 0 get a y that is within the bounds of the others.
  RowTargets targets(double some_y) const {
    RowTargets out;
    out.weight = RowWeights(n_, [&](std::size_t row) { return weight(row); });
    if (n_classes_ > 0) {
      if (truth_.dtype() == nb::dtype<std::uint8_t>()) take_codes<std::uint8_t>(out);
      if (truth_.dtype() == nb::dtype<std::uint16_t>()) take_codes<std::uint16_t>(out);
      if (truth_.dtype() == nb::dtype<double>()) take_codes<double>(out);
      return out;
    }
    out.y.reserve(n_);
    out.exposure.reserve(exposure_.shape(0));
    for (std::size_t row = 0; row < n_; ++row) {
      const bool takes_part = out.weight[row] > 0.0;
      out.y.push_back(takes_part ? doubles()[row] : some_y);
      if (exposure_.shape(0) != 0) out.exposure.push_back(takes_part ? exposure_.data()[row] : 1.0);
    }
    return out;
  }

 private:
  const double* doubles() const { return static_cast<const double*>(truth_.data()); }
  template <class Code>
  void take_codes(RowTargets& out) const {
    const Code* const codes = static_cast<const Code*>(truth_.data());
    out.label.reserve(n_);
    for (std::size_t row = 0; row < n_; ++row) {
      const bool takes_part = out.weight[row] > 0.0;
      if (takes_part && !(codes[row] >= 0 && codes[row] < n_classes_))
        throw std::invalid_argument("class code out of range");
      out.label.push_back(takes_part ? static_cast<std::uint16_t>(codes[row]) : std::uint16_t{0});
    }
  }

  std::size_t n_;
  std::int32_t n_classes_;
  const Truth& truth_;
  const Vector<double>& weight_;
  const Times& times_;
  const Vector<double>& exposure_;
};

/// What rows are added up to: the same for planner and workers.
struct BoundMoments {
  std::int32_t n_classes = 0;
  ObjectiveChoice choice;
  RowBounds bounds;
  std::optional<double> taken_off;
  MomentLayout layout;

  void make() {
    NumberMoments objective;
    if (n_classes == 0) objective = NumberMoments(choice);
    layout = MomentLayout(bounds, n_classes, std::move(objective), taken_off);
  }
};

using MomentsState = std::tuple<std::int32_t, std::string, double, double, double, bool, std::uint64_t, double, double,
                                double, double, std::vector<double>, std::optional<double>>;

/// One holder of rows. Codes, values and borders are borrowed.
class BoundPart {
 public:
  BoundPart(const BoundDataset& table, const nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig>& narrow,
            const nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig>& wide, const BinBorders& borders,
            const BoundMoments& moments, const GivenRows::Truth& truth, const Vector<double>& weight,
            const GivenRows::Times& times, const Vector<double>& exposure, std::uint64_t first_number,
            std::size_t n_threads)
      : data_(table.dataset()),
        team_(n_threads, &interrupt_),
        worker_(data_, GivenRows(moments.n_classes, truth, weight, times, exposure).targets(moments.bounds.y_low),
                first_number, team_, interrupt_) {
    const std::size_t n = data_.values.n_rows;
    const auto n_wide = static_cast<std::size_t>(
        std::count_if(borders.n_bins.begin(), borders.n_bins.end(), [](std::uint32_t bins) { return bins > 255; }));
    if (const std::string wrong = borders.check(data_.columns); !wrong.empty()) throw std::invalid_argument(wrong);
    if (truth.shape(0) != n || narrow.shape(0) != n || wide.shape(0) != n || wide.shape(1) != n_wide ||
        narrow.shape(1) != data_.columns.size() - n_wide)
      throw std::invalid_argument("table, codes and targets do not fit together");
    worker_.prepare(borders, moments.layout, std::make_unique<BinnedRows>(borders, narrow.data(), wide.data()), {});
  }

  nb::bytes start() {
    Answer out;
    run([&] { out.children = worker_.start(nullptr); });
    return to_bytes(out);
  }
  nb::bytes answer(const nb::bytes& request) {
    const Request asked = read_request(request);
    Answer out;
    run([&] { out = worker_.answer(asked); });
    return to_bytes(out);
  }
  nb::tuple places() const {
    Worker::Places places = worker_.places();
    std::vector<std::uint64_t> ends;
    for (const Worker::Range& range : places.range) ends.insert(ends.end(), {range.begin, range.end});
    return nb::make_tuple(to_numpy(std::move(places.order)), to_numpy(std::move(ends)));
  }
  void resume(const Vector<std::uint32_t>& order, const Vector<std::uint64_t>& ends) {
    Worker::Places places{copy(order), {}};
    for (std::size_t i = 0; i + 1 < ends.shape(0); i += 2) places.range.push_back({ends.data()[i], ends.data()[i + 1]});
    worker_.resume(std::move(places));
  }

 private:
  template <class Work>
  void run(const Work& work) {
    take_thread_data();
    const nb::gil_scoped_release release;
    work();
  }

  Interrupt interrupt_;
  Dataset data_;
  ThreadTeam team_;
  Worker worker_;
};

/// A planner with everything that it goes by.
class BoundPlanner {
 public:
  BoundPlanner(const BoundDataset& table, const BoundTarget& target, const GrowParams& params,
               const std::vector<FeatureIndex>& features, std::uint64_t seed, const BinBorders& borders,
               const BoundMoments& moments, const nb::bytes& start, std::size_t n_threads)
      : columns_(table.columns),
        target_(target.target),
        params_(params),
        borders_(borders),
        layout_(moments.layout),
        team_(n_threads, &interrupt_) {
    params_.features = features;
    params_.seed = seed;
    target_.codes = {};
    target_.y = target_.weight = target_.exposure = {};
    const NodeSums sums = read_answer(start).children;
    const nb::gil_scoped_release release;
    planner_ = std::make_unique<Planner>(
        PlannerInput{
            .columns = columns_, .target = target_, .params = params_, .borders = borders_, .moments = layout_},
        sums, team_, interrupt_);
  }

  /// None when the tree is grown.
  nb::object request() const {
    return planner_->request().empty() ? nb::none() : nb::object(to_bytes(planner_->request()));
  }
  void receive(const nb::bytes& bytes) {
    Answer answer = read_answer(bytes);
    const nb::gil_scoped_release release;
    planner_->receive(std::move(answer));
  }
  std::unique_ptr<BoundTree> finish() { return std::make_unique<BoundTree>(std::move(*planner_).finish()); }

 private:
  std::vector<Column> columns_;
  Target target_;
  GrowParams params_;
  BinBorders borders_;
  MomentLayout layout_;
  Interrupt interrupt_;
  ThreadTeam team_;
  std::unique_ptr<Planner> planner_;
};

std::vector<RowIndex> used_rows(const Vector<bool>& used) {
  std::vector<RowIndex> rows;
  rows.reserve(static_cast<std::size_t>(std::count(used.data(), used.data() + used.shape(0), true)));
  for (std::size_t row = 0; row < used.shape(0); ++row) {
    if (used.data()[row]) rows.push_back(static_cast<RowIndex>(row));
  }
  return rows;
}

void bind_messages(nb::module_& m) {
  nb::class_<BinBorders>(m, "BinBorders", "The bins of every column: the smallest and largest value of each.")
      .def(
          "__init__",
          [](BinBorders* self, const Vector<std::uint8_t>& nominal, const Vector<std::uint32_t>& n_bins,
             const Vector<double>& low, const Vector<double>& high) {
            auto* out = new (self) BinBorders{copy(nominal), copy(n_bins), {0}, copy(low), copy(high)};
            for (std::size_t f = 0; f < out->nominal.size() && f < out->n_bins.size(); ++f)
              out->first.push_back(out->first.back() + (out->nominal[f] != 0 ? 0 : out->n_bins[f]));
          },
          nb::arg("nominal"), nb::arg("n_bins"), nb::arg("low"), nb::arg("high"))
      .def("arrays", [](const BinBorders& self) {
        return nb::make_tuple(to_numpy(self.nominal), to_numpy(self.n_bins), to_numpy(self.low), to_numpy(self.high));
      });

  m.def(
      "find_borders",
      [](const BoundDataset& table, const Vector<bool>& used, std::size_t max_bins, std::size_t n_threads) {
        const Dataset data = table.dataset();
        if (used.shape(0) != data.values.n_rows) throw std::invalid_argument("table and used rows differ in length");
        BinBorders borders;
        run_hosted([&](Interrupt& interrupt) {
          ThreadTeam team(n_threads, &interrupt);
          borders = find_borders({data, used_rows(used), {}}, max_bins, team, interrupt);
        });
        return borders;
      },
      nb::arg("table"), nb::arg("used"), nb::arg("max_bins"), nb::arg("n_threads") = 1, "The bins of the used rows.");

  m.attr("MOST_SPLITTERS") = kMostSplitters;
  m.def(
      "deal_rows",
      [](const BoundDataset& table, const Vector<bool>& used, const std::vector<Vector<double>>& splitters) {
        const Dataset data = table.dataset();
        const std::size_t n = data.values.n_rows;
        if (used.shape(0) != n || splitters.size() != data.columns.size())
          throw std::invalid_argument("table, used rows and splitters do not fit together");
        std::vector<std::vector<double>> own;
        for (const Vector<double>& column : splitters) {
          own.push_back(copy(column));
          if (column.shape(0) > kMostSplitters || !std::is_sorted(own.back().begin(), own.back().end()))
            throw std::invalid_argument("splitters must ascend, and be 16383 at most");
        }
        DealtRows dealt;
        run_hosted([&](Interrupt& interrupt) {
          ThreadTeam team(1, &interrupt);
          dealt = deal_rows({data, used_rows(used), {}}, own, team, interrupt);
        });
        return nb::make_tuple(to_numpy(std::move(dealt.bucket), {data.columns.size(), n}),
                              to_numpy(std::move(dealt.count)));
      },
      nb::arg("table"), nb::arg("used"), nb::arg("splitters"),
      "The buckets between splitters that values are in, by column and row, and how many each holds.");

  m.def(
      "take_dealt",
      [](const BoundDataset& table,
         const nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& buckets,
         const std::vector<Vector<std::uint16_t>>& wanted) {
        const Dataset data = table.dataset();
        if (buckets.shape(0) != data.columns.size() || buckets.shape(1) != data.values.n_rows ||
            wanted.size() != data.columns.size())
          throw std::invalid_argument("table, buckets and what is wanted do not fit together");
        std::vector<std::vector<std::uint16_t>> own;
        for (const Vector<std::uint16_t>& column : wanted) own.push_back(copy(column));
        std::vector<std::vector<double>> taken;
        run_hosted([&](Interrupt& interrupt) { taken = take_dealt(data, buckets.data(), own, interrupt); });
        nb::list out;
        for (std::vector<double>& values : taken) out.append(to_numpy(std::move(values)));
        return out;
      },
      nb::arg("table"), nb::arg("buckets"), nb::arg("wanted"),
      "The values in the wanted buckets of each column, ascending.");

  m.def(
      "bin_codes",
      [](const BoundDataset& table, const BinBorders& borders, std::size_t n_threads) {
        const Dataset data = table.dataset();
        if (const std::string wrong = borders.check(data.columns); !wrong.empty()) throw std::invalid_argument(wrong);
        const std::size_t n = data.values.n_rows;
        CodeBlock<std::uint8_t> narrow;
        CodeBlock<std::uint16_t> wide;
        run_hosted([&](Interrupt& interrupt) {
          ThreadTeam team(n_threads, &interrupt);
          std::vector<RowIndex> rows(n);
          std::iota(rows.begin(), rows.end(), RowIndex{0});
          BinnedRows bins({data, rows, {}}, borders, team, interrupt);
          narrow = std::move(bins).take_narrow();
          wide = std::move(bins).take_wide();
        });
        const std::size_t n_narrow = narrow.columns.size(), n_wide = wide.columns.size();
        return nb::make_tuple(to_numpy(std::move(narrow.own), {n, n_narrow}),
                              to_numpy(std::move(wide.own), {n, n_wide}));
      },
      nb::arg("table"), nb::arg("borders"), nb::arg("n_threads") = 1,
      "The bins of all rows: of columns of up to 255 bins in 8 bits, of the others in 16.");

  m.def(
      "moves_rows", [](const nb::bytes& request) { return read_request(request).divisions.size() > 0; },
      nb::arg("request"), "Whether rows are elsewhere in the tree after it.");

  m.def(
      "add_answers",
      [](const std::vector<nb::bytes>& answers) {
        if (answers.empty()) throw std::invalid_argument("no answers to add up");
        Answer sum = read_answer(answers[0]);
        for (std::size_t i = 1; i < answers.size(); ++i) sum += read_answer(answers[i]);
        return to_bytes(sum);
      },
      nb::arg("answers"), "What holders of rows answered to the same request, all together.");
}

}  // namespace

void bind_planner(nb::module_& m) {
  bind_messages(m);
  nb::class_<BoundMoments>(m, "Moments", "What rows are added up to: the same for all who hold some of them.")
      .def(
          "__init__",
          [](BoundMoments* self, std::int32_t n_classes, const GrowParams& params, const GivenRows::Truth& truth,
             const Vector<double>& weight, const GivenRows::Times& times, const Vector<double>& exposure,
             std::optional<double> taken_off) {
            auto* out = new (self) BoundMoments;
            out->n_classes = n_classes;
            out->choice = params.criterion;
            out->choice.callable = {};
            out->taken_off = taken_off;
            NumberMoments objective;
            if (n_classes == 0) objective = NumberMoments(out->choice);
            out->bounds = GivenRows(n_classes, truth, weight, times, exposure).bounds(objective);
            out->make();
          },
          nb::arg("n_classes"), nb::arg("params"), nb::arg("truth"), nb::arg("weight"), nb::arg("times").none(),
          nb::arg("exposure"), nb::arg("taken_off").none() = nb::none())
      .def("__getstate__",
           [](const BoundMoments& self) {
             const RowBounds& b = self.bounds;
             return MomentsState{self.n_classes,
                                 self.choice.name,
                                 self.choice.parameter,
                                 self.choice.prior_cv,
                                 self.choice.centre,
                                 self.choice.exposed,
                                 b.n_rows,
                                 b.weight_low,
                                 b.weight_high,
                                 b.y_low,
                                 b.y_high,
                                 b.moment_high,
                                 self.taken_off};
           })
      .def("__setstate__", [](BoundMoments& self, const MomentsState& state) {
        auto* out = new (&self) BoundMoments;
        std::tie(out->n_classes, out->choice.name, out->choice.parameter, out->choice.prior_cv, out->choice.centre,
                 out->choice.exposed, out->bounds.n_rows, out->bounds.weight_low, out->bounds.weight_high,
                 out->bounds.y_low, out->bounds.y_high, out->bounds.moment_high, out->taken_off) = state;
        out->make();
      });

  nb::class_<BoundPart>(m, "Part", "Holds rows in bins: counts and divides them as a planner asks.")
      .def(nb::init<const BoundDataset&, const nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig>&,
                    const nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig>&, const BinBorders&,
                    const BoundMoments&, const GivenRows::Truth&, const Vector<double>&, const GivenRows::Times&,
                    const Vector<double>&, std::uint64_t, std::size_t>(),
           nb::arg("table"), nb::arg("narrow"), nb::arg("wide"), nb::arg("borders"), nb::arg("moments"),
           nb::arg("truth"), nb::arg("weight"), nb::arg("times").none(), nb::arg("exposure"), nb::arg("first_number"),
           nb::arg("n_threads") = 1, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
           nb::keep_alive<1, 5>())
      .def("start", &BoundPart::start, "Put all rows into the root; their sums, as an answer.")
      .def("answer", &BoundPart::answer, nb::arg("request"))
      .def("places", &BoundPart::places, "Where rows are: all that requests change.")
      .def("resume", &BoundPart::resume, nb::arg("order"), nb::arg("ends"), "Go on from places of the same rows.");

  nb::class_<BoundPlanner>(m, "Planner", "Grows a tree by sums over rows that others hold.")
      .def(nb::init<const BoundDataset&, const BoundTarget&, const GrowParams&, const std::vector<FeatureIndex>&,
                    std::uint64_t, const BinBorders&, const BoundMoments&, const nb::bytes&, std::size_t>(),
           nb::arg("table"), nb::arg("target"), nb::arg("params"), nb::arg("features"), nb::arg("seed"),
           nb::arg("borders"), nb::arg("moments"), nb::arg("start"), nb::arg("n_threads") = 1)
      .def("request", &BoundPlanner::request, "What to ask all holders of rows next; None when the tree is grown.")
      .def("receive", &BoundPlanner::receive, nb::arg("answer"), "What they answered, added up.")
      .def("finish", &BoundPlanner::finish);
}

}  // namespace spinney::bindings
