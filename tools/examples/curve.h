// A curve as a picture: an SVG file that any browser shows, with axes, ticks
// and a title.
//
//   std::ofstream("loss.svg") << SvgOf({.title = "loss", .x = "step", .values = losses});
//
// The vertical axis is logarithmic, in decades; values that are not positive
// and finite are left out. Pure function.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace twingrad::examples {

struct Curve {
  std::string title = {};
  std::string x = {};          // what the positions count
  std::vector<double> values;  // at 0, 1, 2, ...
};

inline std::string EscapedXml(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

inline std::string SvgOf(const Curve& curve) {
  constexpr double kLeft = 70, kTop = 40, kWidth = 560, kHeight = 320;
  const auto shown = [](double value) { return std::isfinite(value) && value > 0; };
  double low = 0, high = 1;  // decades
  bool first = true;
  for (double value : curve.values) {
    if (!shown(value)) continue;
    const double decade = std::log10(value);
    low = std::floor(first ? decade : std::min(low, decade));
    high = std::ceil(first ? decade : std::max(high, decade));
    first = false;
  }
  if (high <= low) high = low + 1;
  const double last = std::max<double>(1, static_cast<double>(curve.values.size()) - 1);
  const auto x = [&](double position) { return kLeft + kWidth * position / last; };
  const auto y = [&](double decade) { return kTop + kHeight * (high - decade) / (high - low); };

  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"660\" height=\"420\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"660\" height=\"420\" fill=\"white\"/>\n";
  char line[256];
  const auto add = [&](const char* format, auto... arguments) {
    std::snprintf(line, sizeof line, format, arguments...);
    svg += line;
  };
  svg += "<text x=\"350\" y=\"24\" text-anchor=\"middle\" font-size=\"16\">" +
         EscapedXml(curve.title) + "</text>\n";
  svg += "<text x=\"350\" y=\"405\" text-anchor=\"middle\">" + EscapedXml(curve.x) + "</text>\n";
  for (double decade = low; decade <= high; ++decade) {
    add("<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"#ccc\"/>\n", kLeft, y(decade),
        kLeft + kWidth, y(decade));
    add("<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%g</text>\n", kLeft - 8, y(decade) + 4,
        std::pow(10, decade));
  }
  for (int tick = 0; tick <= 4; ++tick) {
    const double position = std::round(last * tick / 4);
    add("<text x=\"%g\" y=\"380\" text-anchor=\"middle\">%g</text>\n", x(position), position);
  }
  svg += "<polyline fill=\"none\" stroke=\"#1f5fbf\" stroke-width=\"2\" points=\"";
  for (size_t i = 0; i < curve.values.size(); ++i) {
    if (!shown(curve.values[i])) continue;
    add("%.2f,%.2f ", x(static_cast<double>(i)), y(std::log10(curve.values[i])));
  }
  return svg + "\"/>\n</svg>\n";
}

}  // namespace twingrad::examples
