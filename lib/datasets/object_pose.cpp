// Annotation files: one <obj> an object, its five children told by place.
#include <cmath>
#include <numbers>

#include "lib/datasets/grasp_truth.h"
#include "lib/geometry/rotation.h"
#include "lib/io/format_error.h"
#include "lib/io/text_numbers.h"
#include "lib/io/xml.h"

namespace grasppanda::datasets {
namespace {

constexpr std::size_t kId = 0, kPosition = 3, kOrientation = 4, kChildren = 5;
constexpr std::size_t kMaxObjects = 1000;
constexpr int kMaxObjectId = 999;  // models/NNN

class ObjectReader {
 public:
  ObjectReader(const io::XmlElement& object, const std::string& file)
      : object_(object), file_(file) {
    if (object.children.size() < kChildren) {
      fail(object, "an object with " + std::to_string(object.children.size()) +
                       " entries; wanted id, name, path, position, orientation");
    }
  }

  int id() const {
    const double value = numbers<1>(kId)[0];
    if (value < 0 || value > kMaxObjectId || value != std::floor(value)) {
      fail(object_.children[kId], "an object id that is no whole number from 0 to 999");
    }
    return static_cast<int>(value);
  }

  template <std::size_t N>
  std::array<double, N> numbers(std::size_t child) const {
    const io::XmlElement& element = object_.children[child];
    std::string_view rest = element.text;
    std::array<double, N> values;
    for (double& value : values) {
      const std::string_view word = io::next_word(rest, "\r\n");
      if (!io::parse_number(word, value) || !std::isfinite(value)) {
        fail(element, io::in_quotes(word) + " in <" + element.name + ">; wanted " +
                          std::to_string(N) + " finite numbers");
      }
    }
    if (!io::next_word(rest, "\r\n").empty()) {
      fail(element, "<" + element.name + "> holds more than " + std::to_string(N) + " numbers");
    }
    return values;
  }

  [[noreturn]] void fail(const io::XmlElement& element, const std::string& what) const {
    throw io::FormatError(file_ + ":" + std::to_string(element.line) + ": " + what);
  }

 private:
  const io::XmlElement& object_;
  const std::string& file_;
};

// Of a quaternion w x y z of any length but 0.
geometry::Mat3 rotation_of(const std::array<double, 4>& q) {
  const auto [w, x, y, z] = q;
  const double s = 2.0 / (w * w + x * x + y * y + z * z);
  const double xs = x * s, ys = y * s, zs = z * s;
  const double wx = w * xs, wy = w * ys, wz = w * zs;
  const double xx = x * xs, xy = x * ys, xz = x * zs;
  const double yy = y * ys, yz = y * zs, zz = z * zs;
  return {1.0 - (yy + zz), xy - wz,         xz + wy,  //
          xy + wz,         1.0 - (xx + zz), yz - wx,  //
          xz - wy,         yz + wx,         1.0 - (xx + yy)};
}

// The public evaluation keeps turns as degrees about the fixed axes x, y, z; the way there and back
// costs the last bits of a double, and they are wanted.
geometry::Mat3 through_degrees(const geometry::Mat3& m) {
  constexpr double kDegree = std::numbers::pi / 180.0, kDegrees = 180.0 / std::numbers::pi;
  const double cos_y = std::sqrt(m[0] * m[0] + m[3] * m[3]);
  const bool regular = cos_y > 4 * 2.220446049250313e-16;
  const double ax = regular ? std::atan2(m[7], m[8]) : std::atan2(-m[5], m[4]);
  const double ay = std::atan2(-m[6], cos_y);
  const double az = regular ? std::atan2(m[3], m[0]) : 0.0;
  const double x = ax * kDegrees * kDegree, y = ay * kDegrees * kDegree,
               z = az * kDegrees * kDegree;
  const double si = std::sin(x), sj = std::sin(y), sk = std::sin(z);
  const double ci = std::cos(x), cj = std::cos(y), ck = std::cos(z);
  const double cc = ci * ck, cs = ci * sk, sc = si * ck, ss = si * sk;
  return {cj * ck, sj * sc - cs, sj * cc + ss,  //
          cj * sk, sj * ss + cc, sj * cs - sc,  //
          -sj,     cj * si,      cj * ci};
}

}  // namespace

std::vector<ObjectPose> read_object_poses(const std::filesystem::path& annotation) {
  const std::string file = annotation.string();
  const io::XmlElement scene = io::read_xml(annotation);
  if (scene.children.size() > kMaxObjects) {
    throw io::FormatError(file + ": " + std::to_string(scene.children.size()) +
                          " objects in one scene; at most 1000 are read");
  }
  std::vector<ObjectPose> poses;
  for (const io::XmlElement& object : scene.children) {
    const ObjectReader reader(object, file);
    const auto position = reader.numbers<3>(kPosition);
    const auto orientation = reader.numbers<4>(kOrientation);
    double squared = 0;
    for (const double q : orientation) squared += q * q;
    if (!(squared > 1e-12)) {
      reader.fail(object.children[kOrientation], "a quaternion of length 0 is no orientation");
    }
    const geometry::Mat3 turn = through_degrees(rotation_of(orientation));
    ObjectPose pose{.id = reader.id()};
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        pose.camera_from_object[4 * row + column] = static_cast<float>(turn[3 * row + column]);
      }
      pose.camera_from_object[4 * row + 3] = static_cast<float>(position[row]);
    }
    pose.camera_from_object[15] = 1;
    poses.push_back(pose);
  }
  return poses;
}

}  // namespace grasppanda::datasets
