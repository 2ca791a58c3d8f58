// Span<T>: a view of elements that lie one after the other, to pass lists to functions.
//
//   int64_t Product(Span<const int64_t> sizes);
//   Product({2, 3});  Product(shape);  Product(vector);  Product(std::span(array));
//
// As std::span, with what parameters need besides: a list in braces, and comparison by elements. A
// span made of a list in braces ends with the full expression, so it is for parameters alone.

#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace twingrad {

template <class T>
class Span {
  // Whether List has elements that a Span<T> can show: T, or T without its const.
  template <class List>
  static constexpr bool kShows = requires(List& list) {
    { std::data(list) } -> std::convertible_to<T*>;
    { std::size(list) } -> std::convertible_to<size_t>;
    requires std::is_same_v<std::remove_cv_t<std::remove_pointer_t<decltype(std::data(list))>>,
                            std::remove_cv_t<T>>;
  };

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;

  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  // NOLINTBEGIN(google-explicit-constructor)
  template <class List>
  requires(std::is_const_v<T> && !std::is_same_v<std::remove_cv_t<List>, Span> &&
           kShows<const List>) constexpr Span(const List& list)
      : Span(std::data(list), std::size(list)) {}
  template <class List>
  requires(!std::is_const_v<T> && !std::is_same_v<std::remove_cvref_t<List>, Span> &&
           kShows<std::remove_reference_t<List>>) constexpr Span(List&& list)
      : Span(std::data(list), std::size(list)) {}
  constexpr Span(std::initializer_list<value_type> list) requires(std::is_const_v<T>)
      : Span(list.begin(), list.size()) {}
  // NOLINTEND(google-explicit-constructor)

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](size_t i) const { return data_[i]; }
  // std::out_of_range past the end.
  constexpr T& at(size_t i) const {
    if (i >= size_) throw std::out_of_range("Span::at");
    return data_[i];
  }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr reverse_iterator rbegin() const { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const { return reverse_iterator(begin()); }

  // At most `count` elements from `begin`, which is at most size().
  constexpr Span subspan(size_t begin, size_t count = static_cast<size_t>(-1)) const {
    return {data_ + begin, std::min(count, size_ - begin)};
  }
  constexpr Span first(size_t count) const { return {data_, count}; }
  constexpr Span last(size_t count) const { return {data_ + size_ - count, count}; }

  void remove_prefix(size_t count) { *this = {data_ + count, size_ - count}; }
  void remove_suffix(size_t count) { size_ -= count; }

  // By elements.
  friend constexpr bool operator==(Span<T> a, Span<T> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace twingrad
