#include "spinney/file/stored.hpp"

namespace spinney {

namespace {

template <class T, class Fits>
bool some_not(const StoredView& view, const Fits& fits) {
  T v;
  for (std::size_t i = 0; i < view.size; ++i) {
    std::memcpy(&v, view.data + i * sizeof(T), sizeof(T));
    if (!fits(v)) return true;
  }
  return false;
}

template <class T>
bool some_above(const StoredView& view, T limit) {
  return some_not<T>(view, [limit](T v) { return v <= limit; });
}

}  // namespace

bool is_narrowest(const StoredView& view) {
  switch (view.type) {
    case StoredType::u8: return true;
    case StoredType::u16: return some_above<std::uint16_t>(view, 0xff);
    case StoredType::u32: return some_above<std::uint32_t>(view, 0xffff);
    case StoredType::f32: return some_not<float>(view, [](float v) { return is_small_whole(v); });
    default:
      return some_not<double>(view, [](double v) { return is_small_whole(v); }) &&
             some_not<double>(view, [](double v) { return is_single(v); });
  }
}

}  // namespace spinney
