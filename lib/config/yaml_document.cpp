#include "lib/config/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace grasppanda::config {

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

namespace {

struct Stop {
  Problem problem;
};

std::size_t count_nodes(const YamlNode& node) {
  std::size_t count = 1;
  for (const YamlNode& item : node.items) count += count_nodes(item);
  return count;
}

/// Builds the tree from yaml-cpp's events; a container that is not finished yet is on the stack.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& source, std::vector<Problem>& problems)
      : source_(source), problems_(problems) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish(at(mark, YamlNode::Kind::null), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = at(mark, YamlNode::Kind::scalar);
    node.plain = tag == "?";
    if (!node.plain && tag != "!" && !tag.empty() && tag != "tag:yaml.org,2002:str")
      stop(mark, "the tag '" + tag + "' means nothing here; write the value without it");
    if (node.plain && (value == "null" || value == "~" || value == "Null" || value == "NULL"))
      node.kind = YamlNode::Kind::null;
    else
      node.text = value;
    finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) stop(mark, "an alias stands inside the value that it names");
    spend(mark, count_nodes(found->second));
    place(found->second);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, YamlNode::Kind::sequence, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, YamlNode::Kind::map, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    bool wants_key;    // map: the next node is a key
    bool skips_value;  // map: the key was refused, so its value is dropped
  };

  [[noreturn]] void stop(const YAML::Mark& mark, std::string message) const {
    throw Stop{{source_, mark.line + 1, mark.column + 1, std::move(message)}};
  }

  void spend(const YAML::Mark& mark, std::size_t nodes) {
    spent_ += nodes;
    if (spent_ > kMaxYamlNodes)
      stop(mark, "more than " + std::to_string(kMaxYamlNodes) + " values; this is no run config");
  }

  YamlNode at(const YAML::Mark& mark, YamlNode::Kind kind) {
    spend(mark, 1);
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void open(const YAML::Mark& mark, YamlNode::Kind kind, YAML::anchor_t anchor) {
    if (static_cast<int>(open_.size()) == kMaxYamlDepth)
      stop(mark, "nested more than " + std::to_string(kMaxYamlDepth) + " levels deep");
    if (!open_.empty() && open_.back().wants_key)
      stop(mark, "a list or map cannot be a key; is a ']' or '}' missing?");
    open_.push_back({at(mark, kind), anchor, kind == YamlNode::Kind::map, false});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    finish(std::move(done.node), done.anchor);
  }

  void finish(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      spent_ += count_nodes(node);
      anchored_[anchor] = node;
    }
    place(std::move(node));
  }

  void place(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.wants_key) {
      parent.skips_value = !accept_key(parent.node, node);
      parent.wants_key = false;
    } else {
      if (!parent.skips_value) parent.node.items.push_back(std::move(node));
      parent.wants_key = true;
    }
  }

  bool accept_key(YamlNode& map, const YamlNode& key) {
    if (key.kind != YamlNode::Kind::scalar) {
      problems_.push_back({source_, key.line, key.column, "a key must be a word"});
      return false;
    }
    const auto same = std::find_if(map.keys.begin(), map.keys.end(),
                                   [&](const YamlKey& other) { return other.text == key.text; });
    if (same != map.keys.end()) {
      problems_.push_back({source_, key.line, key.column,
                           "'" + printable(key.text) + "' is given twice; first in line " +
                               std::to_string(same->line)});
      return false;
    }
    map.keys.push_back({key.text, key.line, key.column});
    return true;
  }

  const std::string& source_;
  std::vector<Problem>& problems_;
  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchored_;
  std::size_t spent_ = 0;
};

/// The first line whose indentation holds a tab, up to the one where yaml-cpp stumbled (from 0):
/// its own words for that are about something else. 0: none.
int tab_indented_line(std::string_view text, int last_line) {
  int line = 1;
  for (std::size_t begin = 0; begin < text.size() && line <= last_line + 1; ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view indentation =
        text.substr(begin, std::min(text.find_first_not_of(" \t", begin), end) - begin);
    if (indentation.find('\t') != std::string_view::npos) return line;
    begin = end + 1;
  }
  return 0;
}

}  // namespace

std::optional<YamlNode> parse_yaml(std::string_view text, const std::string& source,
                                   std::vector<Problem>& problems) {
  if (text.size() > kMaxYamlBytes) {
    problems.push_back({source, 0, 0,
                        "is larger than " + std::to_string(kMaxYamlBytes / 1024) +
                            " KiB; a run config is a short YAML text"});
    return std::nullopt;
  }
  if (text.find('\0') != std::string_view::npos) {
    problems.push_back({source, 0, 0, "is a binary file; a run config is a YAML text"});
    return std::nullopt;
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder(source, problems);
    if (!parser.HandleNextDocument(builder)) return YamlNode{};
    std::vector<Problem> ignored;
    TreeBuilder second(source, ignored);
    if (parser.HandleNextDocument(second)) {
      problems.push_back({source, 0, 0, "holds more than one YAML document ('---')"});
      return std::nullopt;
    }
    return builder.take_root();
  } catch (const Stop& stop) {
    problems.push_back(stop.problem);
  } catch (const YAML::Exception& error) {
    if (const int line = tab_indented_line(text, error.mark.line); line > 0) {
      problems.push_back({source, line, 1, "a tab in the indentation; YAML wants blanks"});
      return std::nullopt;
    }
    const bool placed = !error.mark.is_null();
    problems.push_back({source, placed ? error.mark.line + 1 : 0,
                        placed ? error.mark.column + 1 : 0, "not valid YAML: " + error.msg});
  }
  return std::nullopt;
}

}  // namespace grasppanda::config
