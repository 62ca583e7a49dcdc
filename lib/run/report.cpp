#include "lib/run/report.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lib/io/atomic_file.h"
#include "lib/run/config_file.h"
#include "lib/run/environment.h"
#include "lib/run/report_assets.h"
#include "lib/run/report_section.h"
#include "lib/run/summary.h"

namespace grasppanda::run {
namespace {

std::string facts_line(const StoredSummary& summary, const RunFacts& facts) {
  std::string text = html(summary.head.command) + " with " + html(summary.head.model) + ", " +
                     html(summary.head.started) + ", on " + html(facts.device) + " with " +
                     std::to_string(facts.threads) + (facts.threads == 1 ? " thread" : " threads") +
                     ", seed " + std::to_string(facts.seed);
  if (facts.checkpoint) {
    text += "<br>weights <code>" +
            html(std::filesystem::path(facts.checkpoint->path).filename().string()) +
            "</code> SHA-256 <code>" + html(facts.checkpoint->sha256) + "</code>";
  }
  return "<p class=\"facts\">" + text + "<br><code>" + html(shell_text(facts.command_line)) +
         "</code></p>\n";
}

std::string overview(const std::vector<ReportEntry>& entries) {
  std::string text =
      "<div class=\"card\"><table><tr><th>input</th><th>status</th><th "
      "class=\"number\">results</th>"
      "<th class=\"number\">best score</th><th class=\"number\">seconds</th><th></th></tr>\n";
  for (const ReportEntry& entry : entries) {
    text +=
        "<tr><td><a href=\"#" + entry.anchor + "\">" + html(entry.record->name) + "</a></td><td>" +
        status_html(*entry.record) + "</td><td class=\"number\">" +
        (entry.results ? std::to_string(entry.results->scores.size()) : "") +
        "</td><td class=\"number\">" +
        (entry.results && !entry.results->scores.empty() ? decimal(entry.results->scores.front(), 3)
                                                         : "") +
        "</td><td class=\"number\">" + decimal(entry.record->seconds.wall(), 2) + "</td><td>" +
        (entry.record->warnings.empty()
             ? ""
             : "<span class=\"warning\">" + std::to_string(entry.record->warnings.size()) +
                   (entry.record->warnings.size() == 1 ? " warning" : " warnings") + "</span>") +
        "</td></tr>\n";
  }
  return text + "</table></div>\n";
}

// As the camera saw it where there was one; else from above the table.
SceneView view_of(const ReportEntry& entry, const geometry::Vec3& up) {
  if (entry.results && entry.results->in_base_frame) return table_view({0, 0, 1});
  const bool odd = !(std::hypot(up[0], up[1], up[2]) > 0);
  if (entry.record->image || odd || up == geometry::Vec3{0, 0, -1}) return {};
  return table_view(up);
}

}  // namespace

bool report_needs(const WriterEntry& writer, bool detections) {
  if (writer.format == "ply") return !detections;
  return writer.format == "json" || writer.format == "png";
}

void write_report(const std::filesystem::path& run, const std::filesystem::path& drawn,
                  const ReportOptions& options) {
  StoredSummary summary = read_summary(run);
  for (InputRecord& record : summary.inputs) {
    const auto failure = options.failures.find(record.name);
    if (failure == options.failures.end()) continue;
    record.status = InputStatus::failed;
    record.error = failure->second;
  }
  const RunFacts facts = read_run_facts(run);
  std::vector<ReportEntry> entries;
  for (const InputRecord& record : summary.inputs) {
    if (entries.size() == options.inputs) break;
    ReportEntry entry{.record = &record,
                      .anchor = "input-" + std::to_string(entries.size()),
                      .results = read_results(run, record, options.least_score)};
    entry.view = view_of(entry, options.up);
    entries.push_back(std::move(entry));
  }
  const std::string title = summary.head.model + ": " + std::to_string(summary.inputs.size()) +
                            (summary.inputs.size() == 1 ? " input" : " inputs");
  io::AtomicFile page(drawn / "report.html");
  page.write(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      html(title) + "</title>\n<style>");
  page.write(kReportStyle);
  page.write("</style>\n</head>\n<body>\n<h1>" + html(title) + "</h1>\n" +
             facts_line(summary, facts));
  for (const std::string& warning : summary.head.warnings) {
    page.write("<p class=\"warning\">" + html(warning) + "</p>\n");
  }
  page.write(overview(entries));
  if (entries.size() < summary.inputs.size()) {
    page.write("<p class=\"warning\">The first " + std::to_string(entries.size()) + " of " +
               std::to_string(summary.inputs.size()) +
               " inputs are shown; summary.json holds all of them.</p>\n");
  }
  std::uint64_t left = options.embedded_bytes;
  for (const ReportEntry& entry : entries)
    page.write(section_html(drawn, entry, options.drawn, left));
  page.write(
      "<footer>Scores are not probabilities and may exceed 1. Settings: config.yaml; "
      "everything in numbers: summary.json, predictions/.</footer>\n<script>");
  page.write(kReportViewer);
  page.write("</script>\n</body>\n</html>\n");
  page.commit();
}

}  // namespace grasppanda::run
