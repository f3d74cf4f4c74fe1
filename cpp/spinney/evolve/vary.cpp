#include <algorithm>
#include <cmath>
#include <numbers>

#include "spinney/evolve/search.hpp"

namespace spinney {

namespace {

/// genes with the part [begin, end) replaced, into memory that is used again and again.
void splice(const Genes& genes, std::size_t begin, std::size_t end, std::span<const Gene> part, Genes& out) {
  out.resize(genes.size() - (end - begin) + part.size());
  auto next = std::copy_n(genes.begin(), begin, out.begin());
  next = std::copy(part.begin(), part.end(), next);
  std::copy(genes.begin() + static_cast<std::ptrdiff_t>(end), genes.end(), next);
}

/// One of the places that fulfil a condition, each as likely; the size if there is none.
template <class Condition>
std::size_t pick(std::size_t n, RandomStream& random, const Condition& fits) {
  std::array<std::uint8_t, kMaxProgram> places;
  std::size_t n_fit = 0;
  for (std::size_t i = 0; i < n; ++i) {
    places[n_fit] = static_cast<std::uint8_t>(i);
    n_fit += fits(i) ? 1 : 0;
  }
  return n_fit == 0 ? n : places[random.below(n_fit)];
}

}  // namespace

void cross(const Language& language, const Genes& to, const Genes& from, std::size_t max_size, RandomStream& random,
           Genes& out) {
  const std::size_t end = random.below(to.size()), begin = language.begin_of(to, end);
  const TypeId type = language.returns(to[end]);
  const std::size_t room = max_size - (to.size() - (end + 1 - begin));
  Language::Sizes sizes;
  language.sizes_of(from, sizes);
  const std::size_t donor = pick(
      from.size(), random, [&](std::size_t i) { return (language.returns(from[i]) == type) & (sizes[i] <= room); });
  if (donor == from.size()) {
    out = to;
    return;
  }
  const std::size_t first = donor + 1 - sizes[donor];
  splice(to, begin, end + 1, std::span(from).subspan(first, donor + 1 - first), out);
}

void regrow(const Language& language, const Genes& genes, std::size_t max_size, RandomStream& random, Genes& out) {
  const std::size_t end = random.below(genes.size()), begin = language.begin_of(genes, end);
  const std::size_t room = max_size - (genes.size() - (end + 1 - begin));
  Genes part;
  language.generate(language.returns(genes[end]), room, 1 + random.below(3), false, random, part);
  splice(genes, begin, end + 1, part, out);
}

void change_symbol(const Language& language, const Genes& genes, RandomStream& random, Genes& out) {
  out = genes;
  Gene& gene = out[random.below(out.size())];
  const auto alike = language.alike(gene.symbol);
  gene = language.draw(alike[random.below(alike.size())], random);
}

void hoist(const Language& language, const Genes& genes, RandomStream& random, Genes& out) {
  const std::size_t end = random.below(genes.size()), begin = language.begin_of(genes, end);
  const TypeId type = language.returns(genes[end]);
  const std::size_t inner = pick(
      genes.size(), random, [&](std::size_t i) { return i >= begin && i < end && language.returns(genes[i]) == type; });
  if (inner == genes.size()) {
    out = genes;
    return;
  }
  const std::size_t first = language.begin_of(genes, inner);
  splice(genes, begin, end + 1, std::span(genes).subspan(first, inner + 1 - first), out);
}

void change_constant(const Language& language, const Genes& genes, RandomStream& random, Genes& out) {
  out = genes;
  const std::size_t place =
      pick(out.size(), random, [&](std::size_t i) { return language.symbol(out[i]).kind == SymbolKind::constant; });
  if (place == out.size()) return;
  const Symbol& symbol = language.symbol(out[place]);
  if (symbol.spread == 0.0 || random.below(4) == 0) {
    out[place] = language.draw(out[place].symbol, random);
    return;
  }
  // A step from the normal distribution, of a size from a wide range.
  const double normal =
      std::sqrt(-2.0 * std::log(random.uniform())) * std::cos(2.0 * std::numbers::pi * random.uniform());
  const double moved = out[place].value + normal * symbol.spread * std::pow(0.1, 3.0 * random.uniform());
  if (std::isfinite(moved)) out[place].value = moved;
}

}  // namespace spinney
