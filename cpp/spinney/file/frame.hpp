#pragma once
// The arrays of some trees in one run of bytes, for who reads them without Python: for each array that is there, its
// number, its type, how many entries it has (32 bits), and its numbers. This is no file format: a model file is a
// safetensors file.

#include <optional>
#include <span>

#include "spinney/file/parts.hpp"

namespace spinney {

std::vector<std::byte> to_frame(const StoredParts& parts);
/// Views into the bytes; nothing if they are not what to_frame makes: arrays in order, each once, none empty.
std::optional<PartViews> from_frame(std::span<const std::byte> bytes);

}  // namespace spinney
