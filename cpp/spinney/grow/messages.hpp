#pragma once
// What planner and workers tell each other: structs of plain arrays, which can be sent and saved. Answers of workers
// that hold different rows are added up; nothing in a sum depends on how the rows are divided among them.
//
//   planner -> worker   Request    count these nodes, tally these tests, divide these nodes, hand over these rows
//   worker -> planner   Answer     in the order of the request
//
// Nodes go by numbers that the planner gives; node 0 is the root, or nodes are those of the tree that growth starts
// from.

#include <span>
#include <vector>

#include "spinney/grow/histogram.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// Tests of nodes, with their stand-ins. Dividing a node makes two: first_child and the one after it.
struct Divisions {
  std::vector<NodeId> node, first_child;
  TestTable tests;
  SurrogateTable surrogates;
  std::vector<std::int32_t> default_branch;

  std::size_t size() const { return node.size(); }
};

struct Request {
  Divisions tallies;               // which way the tests send rows, by every bin of every column
  Divisions divisions;             // rows go to the children
  std::vector<NodeId> histograms;  // of these nodes, once rows are divided
  std::vector<NodeId> rows;        // of these nodes, likewise

  bool empty() const { return histograms.empty() && tallies.size() == 0 && divisions.size() == 0 && rows.empty(); }
};

/// The rows of a node, whole.
struct RowBlock {
  std::vector<std::uint64_t> number;  // of the row among all rows of all workers: says in which order they come
  std::vector<double> values;         // row by row
  std::vector<std::int32_t> codes;    // classification
  std::vector<double> y;              // regression
  std::vector<double> weight;
  std::vector<double> exposure = {};  // regression, if rows have any

  std::size_t size() const { return number.size(); }
  void append(const RowBlock& other);
};

struct Answer {
  std::vector<Histogram> histograms;
  std::vector<Histogram> tallies;  // bins of two classes: rows that go left, and right
  NodeSums children;               // two of each division
  std::vector<RowBlock> rows;

  /// Adds what another worker answered to the same request.
  Answer& operator+=(const Answer& other);
};

}  // namespace spinney
