#include "spinney/file/frame.hpp"

namespace spinney {

namespace {

constexpr std::size_t kHead = 6;  // number, type, entries

}  // namespace

std::vector<std::byte> to_frame(const StoredParts& parts) {
  std::vector<std::byte> out;
  for (std::size_t p = 0; p < kParts; ++p) {
    if (parts[p].size == 0) continue;
    const auto size = static_cast<std::uint32_t>(parts[p].size);
    std::byte head[kHead] = {static_cast<std::byte>(p), static_cast<std::byte>(parts[p].type)};
    std::memcpy(head + 2, &size, sizeof(size));
    out.insert(out.end(), head, head + kHead);
    out.insert(out.end(), parts[p].bytes.begin(), parts[p].bytes.end());
  }
  return out;
}

std::optional<PartViews> from_frame(std::span<const std::byte> bytes) {
  PartViews parts{};
  std::size_t next = 0;  // part that may come
  while (!bytes.empty()) {
    if (bytes.size() < kHead) return std::nullopt;
    const auto p = std::to_integer<std::size_t>(bytes[0]), type = std::to_integer<std::size_t>(bytes[1]);
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data() + 2, sizeof(size));
    if (p < next || p >= kParts || type >= kStoredTypes || size == 0) return std::nullopt;
    const StoredView view{static_cast<StoredType>(type), bytes.data() + kHead, size};
    if (size > (bytes.size() - kHead) / size_of(view.type)) return std::nullopt;
    parts[p] = view;
    next = p + 1;
    bytes = bytes.subspan(kHead + size * size_of(view.type));
  }
  return parts;
}

}  // namespace spinney
