#pragma once
// What evolved expressions may be made of: typed symbols. Only well-typed programs can be written in it.
//
//   type      a number; 0 is truth. Columns that share a type can be compared.
//   symbol    a column, a constant drawn from a pool, or a function of typed arguments
//   program   symbols in postfix order, each as one gene

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "spinney/evolve/evaluate.hpp"
#include "spinney/random.hpp"

namespace spinney {

using TypeId = std::int32_t;
inline constexpr TypeId kTruth = 0;

inline constexpr std::size_t kMaxProgram = 60;   // symbols
inline constexpr std::size_t kMaxTokens = 2000;  // of a program that is written out

enum class SymbolKind : std::uint8_t { column, constant, function };

struct Symbol {
  SymbolKind kind = SymbolKind::column;
  TypeId returns = kTruth;
  std::vector<TypeId> takes;  // of a function
  std::int32_t column = 0;
  std::vector<double> pool;  // values that a constant may have
  double spread = 0.0;       // how far a number may be moved; 0 for categories
  std::vector<Token> body;   // of a function, in postfix order; its arguments are columns -1, -2, ...
};

/// A symbol, with its value if it is a constant.
struct Gene {
  std::int32_t symbol = 0;
  double value = 0.0;
  bool operator==(const Gene&) const = default;
};
using Genes = std::vector<Gene>;

class Language {
 public:
  explicit Language(std::vector<Symbol> symbols, Calls calls = {});

  const Symbol& symbol(const Gene& gene) const { return symbols_[gene.symbol]; }
  std::size_t arity(const Gene& gene) const { return arity_[gene.symbol]; }
  TypeId returns(const Gene& gene) const { return returns_[gene.symbol]; }
  /// The size of the smallest program that gives a type; above kMaxProgram if there is none.
  std::size_t least_size(TypeId type) const { return least_size_[type]; }
  const Calls* calls() const { return calls_.signatures.empty() ? nullptr : &calls_; }
  std::span<const Signature> signatures() const { return calls_.signatures; }
  std::int32_t n_symbols() const { return static_cast<std::int32_t>(symbols_.size()); }
  /// Whether genes are one well-typed program that is true or false, with values that its constants may have.
  bool is_program(std::span<const Gene> genes) const;
  std::int32_t n_types() const { return static_cast<std::int32_t>(least_size_.size()); }

  /// A random program of a type, of at most `size` symbols, its branches as deep as they may be if `full`.
  void generate(TypeId type, std::size_t size, std::size_t depth, bool full, RandomStream& random, Genes& out) const;
  /// A gene for a symbol; constants get a value.
  Gene draw(std::int32_t symbol, RandomStream& random) const;
  /// Symbols that can stand in the place of one: the same types in and out.
  std::span<const std::int32_t> alike(std::int32_t symbol) const { return alike_[group_[symbol]]; }

  /// The place where the part that ends at `end` (included) begins.
  std::size_t begin_of(std::span<const Gene> program, std::size_t end) const;
  /// The sizes of the parts that end at each place.
  using Sizes = std::array<std::uint8_t, kMaxProgram>;
  void sizes_of(std::span<const Gene> program, Sizes& out) const;
  /// The expression of a program; functions that are composed are written out. False if it is too long or too deep
  /// for that, as functions that use an argument again and again may become.
  bool to_tokens(std::span<const Gene> program, std::vector<Token>& out) const;

 private:
  void group_alike();
  bool may_have(const Symbol& symbol, double value) const;
  std::size_t least_with(const Symbol& symbol) const;
  bool write_out(const Symbol& symbol, std::vector<Token>& out) const;

  std::vector<Symbol> symbols_;
  Calls calls_;
  // Of each symbol, side by side:
  std::vector<std::uint8_t> arity_;
  std::vector<TypeId> returns_;
  std::vector<Token> token_;  // what it stands for, if that is one token
  std::vector<std::uint8_t> is_token_;
  std::vector<std::size_t> least_with_;                        // the size of the smallest program that ends with it
  std::vector<std::vector<std::int32_t>> leaves_, functions_;  // by type
  std::vector<std::int32_t> group_;                            // symbols of the same types in and out
  std::vector<std::vector<std::int32_t>> alike_;               // by group
  std::vector<std::size_t> least_size_;
};

}  // namespace spinney
