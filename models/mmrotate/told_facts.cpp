#include "models/mmrotate/told_facts.h"

#include "models/mmrotate/settings.h"
#include "models/mmrotate/trunk.h"

namespace grasppanda::models::mmrotate {

std::vector<std::pair<std::string, std::string>> told_facts(const io::Checkpoint& checkpoint) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"backbone", backbone_name(checkpoint.tensors)}};
  const Told told = told_by(checkpoint);
  if (told.line) facts.emplace_back("line", std::string(line_name(*told.line)));
  if (told.angle) {
    facts.emplace_back("angle_version", std::string(geometry::angle_convention_name(*told.angle)));
  }
  if (told.plain_anchors) facts.emplace_back("anchors", std::string(line_name(Line::v0)));
  return facts;
}

}  // namespace grasppanda::models::mmrotate
