// base/ref.hpp: a pointer that counts. Counts are plain integers: the embedding program's lock
// (Python's GIL) guards every change of them. What happens at zero is the type's own `release`.
#pragma once

#include <cstdint>
#include <utility>

namespace wend {

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  // Shares ownership of `p`.
  explicit Ref(T* p) : p_(p) {
    if (p_) ++p_->refs;
  }
  // Takes over a reference that the caller already owns.
  static Ref adopt(T* p) {
    Ref r;
    r.p_ = p;
    return r;
  }
  Ref(const Ref& o) : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_ && --p_->refs == 0) release(p_);
  }

  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool operator==(const Ref& o) const { return p_ == o.p_; }
  // Gives the reference to the caller.
  T* leak() { return std::exchange(p_, nullptr); }

 private:
  T* p_ = nullptr;
};

}  // namespace wend
