#include "spinney/evolve/language.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace spinney {

Language::Language(std::vector<Symbol> symbols, Calls calls) : symbols_(std::move(symbols)), calls_(std::move(calls)) {
  TypeId most = kTruth;
  for (const Symbol& symbol : symbols_) {
    most = std::max(most, symbol.returns);
    for (const TypeId type : symbol.takes) most = std::max(most, type);
  }
  const auto n = static_cast<std::size_t>(most) + 1;
  leaves_.resize(n);
  functions_.resize(n);
  least_size_.assign(n, kMaxProgram + 1);
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    auto& list = symbols_[i].takes.empty() ? leaves_ : functions_;
    list[symbols_[i].returns].push_back(static_cast<std::int32_t>(i));
  }
  for (bool changed = true; changed;) {  // the sizes only fall
    changed = false;
    for (const Symbol& symbol : symbols_) {
      const std::size_t least = least_with(symbol);
      if (least >= least_size_[symbol.returns]) continue;
      least_size_[symbol.returns] = least;
      changed = true;
    }
  }
  // Functions that need a type which nothing gives are never used.
  for (auto& list : functions_) {
    std::erase_if(list, [&](std::int32_t i) { return least_with(symbols_[i]) > kMaxProgram; });
  }
  for (const Symbol& symbol : symbols_) {
    arity_.push_back(static_cast<std::uint8_t>(symbol.takes.size()));
    returns_.push_back(symbol.returns);
    least_with_.push_back(least_with(symbol));
    const auto& body = symbol.body;
    const bool in_place =
        body.size() == symbol.takes.size() + 1 && std::all_of(body.begin(), body.end() - 1, [&](const Token& t) {
          return t.op == Op::column && t.arg == -1 - static_cast<std::int32_t>(&t - body.data());
        });
    const bool is_function = symbol.kind == SymbolKind::function;
    is_token_.push_back(!is_function || in_place);
    token_.push_back(is_function
                         ? (in_place ? body.back() : Token{})
                         : Token{symbol.kind == SymbolKind::column ? Op::column : Op::constant, symbol.column, 0.0});
  }
  group_alike();
}

/// One list for all symbols of the same types: a list for each symbol would take the square of the columns.
void Language::group_alike() {
  std::map<std::pair<TypeId, std::vector<TypeId>>, std::int32_t> groups;
  for (const Symbol& symbol : symbols_) {
    const auto next = static_cast<std::int32_t>(groups.size());
    group_.push_back(groups.try_emplace({symbol.returns, symbol.takes}, next).first->second);
  }
  alike_.resize(groups.size());
  for (const auto* lists : {&leaves_, &functions_}) {
    for (const auto& list : *lists) {
      for (const std::int32_t i : list) alike_[group_[i]].push_back(i);
    }
  }
}

std::size_t Language::least_with(const Symbol& symbol) const {
  std::size_t least = 1;
  for (const TypeId type : symbol.takes) least += least_size_[type];
  return least;
}

Gene Language::draw(std::int32_t symbol, RandomStream& random) const {
  const Symbol& drawn = symbols_[symbol];
  if (drawn.kind != SymbolKind::constant) return {symbol, 0.0};
  return {symbol, drawn.pool[random.below(drawn.pool.size())]};
}

void Language::generate(TypeId type, std::size_t size, std::size_t depth, bool full, RandomStream& random,
                        Genes& out) const {
  const auto& leaves = leaves_[type];
  const auto& functions = functions_[type];
  const auto fits = [&](std::int32_t f) { return least_with_[f] <= size; };
  const auto n_fit = static_cast<std::size_t>(std::count_if(functions.begin(), functions.end(), fits));
  const bool may_end = !leaves.empty();
  bool end = may_end && (n_fit == 0 || depth == 0);
  if (may_end && !end && !full) end = random.below(leaves.size() + n_fit) < leaves.size();
  if (end) {
    out.push_back(draw(leaves[random.below(leaves.size())], random));
    return;
  }
  if (n_fit == 0) throw std::logic_error("no program of this type is small enough");
  std::size_t place = random.below(n_fit);
  std::int32_t chosen = -1;
  std::size_t least = kMaxProgram + 1;
  for (const std::int32_t f : functions) {
    if (!fits(f)) continue;
    if (!may_end && depth == 0) {  // nothing ends here: the shortest way out
      if (least_with_[f] < least) chosen = f;
      least = std::min(least, least_with_[f]);
    } else if (place-- == 0) {
      chosen = f;
    }
  }
  std::size_t left = size - 1, needed = least_with_[chosen] - 1;
  for (std::size_t i = 0; i < symbols_[chosen].takes.size(); ++i) {
    const TypeId argument = symbols_[chosen].takes[i];
    needed -= least_size_[argument];
    const std::size_t before = out.size();
    const std::size_t most = left - needed, low = least_size_[argument];
    // The last argument may have all that is left, the others an even chance of any size.
    const bool last = i + 1 == symbols_[chosen].takes.size();
    const std::size_t share = last || full ? most : low + random.below(most - low + 1);
    generate(argument, full && !last ? std::max(low, most / 2) : share, depth == 0 ? 0 : depth - 1, full, random, out);
    left -= out.size() - before;
  }
  out.push_back({chosen, 0.0});
}

bool Language::is_program(std::span<const Gene> genes) const {
  if (genes.size() > kMaxProgram) return false;
  std::vector<TypeId> waiting;
  for (const Gene& gene : genes) {
    if (!may_have(symbol(gene), gene.value)) return false;
    const std::vector<TypeId>& takes = symbol(gene).takes;
    if (waiting.size() < takes.size() ||
        !std::equal(takes.begin(), takes.end(), waiting.end() - static_cast<std::ptrdiff_t>(takes.size())))
      return false;
    waiting.resize(waiting.size() - takes.size());
    waiting.push_back(symbol(gene).returns);
  }
  return waiting.size() == 1 && waiting[0] == kTruth;
}

/// Whether a gene of a symbol can have come to a value: constants are drawn, and those with a spread are moved.
bool Language::may_have(const Symbol& symbol, double value) const {
  if (symbol.kind != SymbolKind::constant) return value == 0.0;
  if (symbol.spread != 0.0) return std::isfinite(value);
  return std::find(symbol.pool.begin(), symbol.pool.end(), value) != symbol.pool.end();
}

namespace {

/// Where the part of a postfix list that ends at a place begins. takes(i): the operands of the i-th.
template <class Takes>
std::size_t part_begin(std::size_t end, const Takes& takes) {
  std::size_t wanted = 1, place = end + 1;
  while (wanted > 0) {
    --place;
    wanted += takes(place);
    --wanted;
  }
  return place;
}

/// How many operands wait at the same time.
std::size_t most_waiting(const std::vector<Token>& tokens) {
  std::size_t waiting = 0, most = 0;
  for (const Token& token : tokens) {
    waiting += 1;
    waiting -= n_operands(token);
    most = std::max(most, waiting);
  }
  return most;
}

}  // namespace

std::size_t Language::begin_of(std::span<const Gene> program, std::size_t end) const {
  return part_begin(end, [&](std::size_t i) { return arity(program[i]); });
}

void Language::sizes_of(std::span<const Gene> program, Sizes& out) const {
  for (std::size_t i = 0; i < program.size(); ++i) {
    std::size_t size = 1;
    for (std::size_t k = arity(program[i]); k > 0; --k) size += out[i - size];
    out[i] = static_cast<std::uint8_t>(size);
  }
}

bool Language::to_tokens(std::span<const Gene> program, std::vector<Token>& out) const {
  out.clear();
  bool composed = false;
  for (const Gene& gene : program) {
    if (is_token_[gene.symbol]) {
      const Token& token = token_[gene.symbol];
      out.push_back({token.op, token.arg, token.op == Op::constant ? gene.value : token.value});
    } else {
      composed = true;
      if (!write_out(symbols_[gene.symbol], out)) return false;
    }
  }
  return !composed || most_waiting(out) <= kMaxOperands;
}

/// A composed function: its body, with the arguments, which stand at the end of the tokens, in their places.
bool Language::write_out(const Symbol& symbol, std::vector<Token>& out) const {
  const std::size_t n = symbol.takes.size();
  std::vector<std::vector<Token>> arguments(n);
  for (std::size_t i = n; i-- > 0;) {
    const std::size_t begin = part_begin(out.size() - 1, [&](std::size_t j) { return n_operands(out[j]); });
    arguments[i].assign(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
    out.resize(begin);
  }
  for (const Token& token : symbol.body) {
    if (token.op != Op::column || token.arg >= 0) {
      out.push_back(token);
    } else {
      const auto& argument = arguments[static_cast<std::size_t>(-1 - token.arg)];
      out.insert(out.end(), argument.begin(), argument.end());
    }
    if (out.size() > kMaxTokens) return false;
  }
  return true;
}

}  // namespace spinney
