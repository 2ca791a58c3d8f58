// Readme: the fixture of tests made of snippets. And what a snippet prints, and the text of its
// values, against its comments.
//
//   Capture capture; std::cout << y; capture.Holds("6, 8");
//   Holds(h, "[[6, 0], [0, 12]]");

#pragma once

#include <cctype>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace twingrad_snippets {

// Without spaces and line ends: comments are aligned otherwise than what is printed.
inline std::string Plain(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) plain += c;
  }
  return plain;
}

template <class T>
void Holds(const T& value, std::string_view part) {
  std::ostringstream text;
  text << value;
  EXPECT_NE(Plain(text.str()).find(Plain(part)), std::string::npos)
      << "the comment says: " << part << "\nit is: " << text.str();
}

// Takes what is printed until its end.
class Capture {
 public:
  Capture() : before_(std::cout.rdbuf(text_.rdbuf())) {}
  ~Capture() { std::cout.rdbuf(before_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  void Holds(std::string_view part) const { twingrad_snippets::Holds(text_.str(), part); }

 private:
  std::ostringstream text_;
  std::streambuf* const before_;
};

}  // namespace twingrad_snippets

// Snippets write files where they are.
class Readme : public testing::Test {
 protected:
  static void SetUpTestSuite() { std::filesystem::current_path(testing::TempDir()); }
};
