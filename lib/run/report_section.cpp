#include "lib/run/report_section.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "lib/io/base64.h"
#include "lib/io/format_error.h"
#include "lib/io/json_file.h"
#include "lib/io/mapped_file.h"
#include "lib/run/writer.h"

namespace grasppanda::run {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kBest = 10;

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

// A link's target: every byte that is not plain becomes %XX.
std::string url(const fs::path& relative) {
  std::string text;
  for (const char c : relative.generic_string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    std::array<char, 4> code{};
    std::snprintf(code.data(), code.size(), "%%%02X", static_cast<unsigned char>(c));
    text += plain ? std::string(1, c) : std::string(code.data());
  }
  return text;
}

std::string picture_html(const fs::path& run, const std::string& name, std::uint64_t& left) {
  const fs::path relative = find_writer("png")->file(name);
  if (!is_there(run / relative)) return {};
  const std::uint64_t size = fs::file_size(run / relative);
  std::string source = url(relative);
  if (size <= left) {
    left -= size;
    source = "data:image/png;base64," + io::base64(io::map_file(run / relative).span());
  }
  return "<div><img loading=\"lazy\" alt=\"results drawn over the input\" src=\"" + source +
         "\"></div>\n";
}

std::string scene_html(const fs::path& run, const ReportEntry& entry, std::int64_t drawn,
                       std::uint64_t& left) {
  const std::string& name = entry.record->name;
  const fs::path relative = find_writer("ply")->file(name);
  if (!entry.results || !is_there(run / relative)) return {};
  const ReportScene scene = report_scene(run / relative, entry.results->grasps, drawn, entry.view);
  const std::string link = "<a href=\"" + url(relative) + "\">" + html(relative.string()) + "</a>";
  if (scene.json.size() > left) return "<div>The view in 3-D: " + link + "</div>\n";
  left -= scene.json.size();
  const std::string id = "scene-" + entry.anchor, most = std::to_string(scene.grasps);
  std::string text = "<div><div class=\"scene\" data-scene=\"" + id +
                     "\"><div class=\"hint\">drag: turn, shift-drag: move, wheel: nearer, "
                     "double click: back</div></div>\n";
  if (scene.grasps > 0) {
    text += "<label class=\"tools\">best grasps <input type=\"range\" min=\"0\" max=\"" + most +
            "\" value=\"" + most + "\" id=\"" + id + "-best\"><output>" + most +
            "</output></label>\n";
  }
  return text + "<noscript>The view in 3-D wants JavaScript; see " + link +
         "</noscript><script type=\"application/json\" id=\"" + id + "\">" + scene.json +
         "</script></div>\n";
}

std::string row(const std::vector<std::string>& cells, const char* kind) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += std::string("<") + kind + (i > 0 ? " class=\"number\">" : ">") + cells[i] + "</" +
            kind + ">";
  }
  return text + "</tr>\n";
}

std::string best_grasps(const ReportResults& results) {
  std::string text = "<div><h3>Best grasps</h3><table>" +
                     row({"", "score", "width mm", "depth mm", "x m", "y m", "z m"}, "th");
  for (std::size_t i = 0; i < std::min(kBest, results.grasps.size()); ++i) {
    const geometry::Grasp& grasp = results.grasps[i];
    std::vector<std::string> cells = {std::to_string(i), decimal(grasp.score, 3),
                                      decimal(1000.0 * grasp.width, 1),
                                      decimal(1000.0 * grasp.depth, 1)};
    for (const float v : grasp.translation) cells.push_back(decimal(v, 3));
    text += row(cells, "td");
  }
  return text + "</table></div>\n";
}

std::string classes_table(const ReportResults& results) {
  struct Class {
    std::size_t count = 0;
    double best = 0;
  };
  std::map<std::string, Class> classes;
  for (std::size_t i = 0; i < results.classes.size(); ++i) {
    Class& one = classes[results.classes[i]];
    if (one.count++ == 0) one.best = results.scores[i];  // best first
  }
  std::string text =
      "<div><h3>Detections</h3><table>" + row({"class", "count", "best score"}, "th");
  for (const auto& [name, one] : classes) {
    text += row({html(name), std::to_string(one.count), decimal(one.best, 3)}, "td");
  }
  return text + "</table></div>\n";
}

std::string record_tables(const InputRecord& record) {
  std::string text = "<div><h3>Along the way</h3><table>";
  for (const auto& [name, count] : record.counts) {
    text += row({html(name), std::to_string(count)}, "td");
  }
  text += "</table></div>\n<div><h3>Seconds</h3><table>";
  const InputSeconds& s = record.seconds;
  for (const auto& [name, value] :
       {std::pair{"read", s.read}, std::pair{"prepare", s.prepare}, std::pair{"network", s.network},
        std::pair{"postprocess", s.postprocess}, std::pair{"write", s.write}}) {
    text += row({name, decimal(value, 3)}, "td");
  }
  return text + "</table></div>\n";
}

}  // namespace

std::optional<ReportResults> read_results(const fs::path& run, const InputRecord& record,
                                          double least_score) {
  const fs::path file = run / find_writer("json")->file(record.name);
  if (!is_there(file)) return {};
  ReportResults results;
  try {
    const nlohmann::json json = io::read_json(file);
    if (json.contains("grasps")) {
      const StoredGrasps stored = grasps_of(json, file.string());
      results.in_base_frame = stored.in_base_frame;
      for (const geometry::Grasp& grasp : stored.grasps) {
        if (!(grasp.score >= least_score)) continue;
        results.grasps.push_back(grasp);
        results.scores.push_back(grasp.score);
      }
      return results;
    }
    for (const nlohmann::json& entry : json.at("detections")) {
      const auto score = entry.at("score").get<double>();
      if (!(score >= least_score)) continue;
      results.classes.push_back(entry.at("class").get<std::string>());
      results.scores.push_back(score);
    }
  } catch (const nlohmann::json::exception&) {
    throw io::FormatError(file.string() + ": is no list of grasps or detections of ours");
  }
  return results;
}

std::string section_html(const fs::path& folder, const ReportEntry& entry, std::int64_t drawn,
                         std::uint64_t& left) {
  const InputRecord& record = *entry.record;
  std::string text = "<section class=\"card\" id=\"" + entry.anchor + "\">\n<h2>" +
                     html(record.name) + " " + status_html(record) + "</h2>\n";
  if (record.source != record.name) text += "<p class=\"facts\">" + html(record.source) + "</p>\n";
  if (record.status == InputStatus::failed) {
    return text + "<p class=\"error\">" + html(record.error) + "</p>\n</section>\n";
  }
  for (const std::string& warning : record.warnings) {
    text += "<p class=\"warning\">" + html(warning) + "</p>\n";
  }
  text += "<div class=\"views\">\n" + picture_html(folder, record.name, left) +
          scene_html(folder, entry, drawn, left) + "</div>\n<div class=\"tables\">\n";
  if (entry.results && !entry.results->grasps.empty()) text += best_grasps(*entry.results);
  if (entry.results && !entry.results->classes.empty()) text += classes_table(*entry.results);
  return text + record_tables(record) + "</div>\n</section>\n";
}

std::string status_html(const InputRecord& record) {
  const std::string name(status_name(record.status));
  return "<span class=\"" + name + "\">" + name + "</span>";
}

std::string html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string decimal(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

}  // namespace grasppanda::run
