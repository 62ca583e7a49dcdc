#include "lib/io/pickle_reader.h"

#include <cmath>
#include <limits>
#include <string>

#include "lib/io/format_error.h"
#include "lib/io/npy.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/shared_bytes.h"

using namespace grasppanda::io;
using namespace grasppanda::tests;
using Catch::Matchers::Contains;

namespace {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// Python 3.11's pickle.dumps of OrderedDict(i=[0, 255, 65535, -1, 2**31, 2**62, -2**63, 2**70],
// f=(1.5, -0.0), t='\u00fc\u20ac', b=b'\x00\xff', n=None, bool=[True, False], set={7},
// nested={1: ('a',)}), in the protocols 0, 2 and 4.
constexpr std::string_view kProtocol0 =
    "63636f6c6c656374696f6e730a4f726465726564446963740a70300a28745270310a56690a70320a286c70330a49"
    "300a61493235350a614936353533350a61492d310a614c323134373438333634384c0a614c343631313638363031"
    "383432373338373930344c0a614c2d393232333337323033363835343737353830384c0a614c3131383035393136"
    "32303731373431313330333432344c0a617356660a70340a2846312e350a462d302e300a7470350a7356740a7036"
    "0a56fc5c75323061630a70370a7356620a70380a635f636f646563730a656e636f64650a70390a28565c75303030"
    "30ff0a7031300a566c6174696e310a7031310a747031320a527031330a73566e0a7031340a4e7356626f6f6c0a70"
    "31350a286c7031360a4930310a614930300a6173567365740a7031370a635f5f6275696c74696e5f5f0a7365740a"
    "7031380a28286c7031390a49370a61747032300a527032310a73566e65737465640a7032320a28647032330a4931"
    "0a2856610a7032340a747032350a73732e";
constexpr std::string_view kProtocol2 =
    "800263636f6c6c656374696f6e730a4f726465726564446963740a7100295271012858010000006971025d710328"
    "4b004bff4dffff4affffffff8a0500000080008a0800000000000000408a0800000000000000808a090000000000"
    "00000040655801000000667104473ff8000000000000478000000000000000867105580100000074710658050000"
    "00c3bce282ac71075801000000627108635f636f646563730a656e636f64650a7109580300000000c3bf710a5806"
    "0000006c6174696e31710b86710c52710d58010000006e710e4e5804000000626f6f6c710f5d7110288889655803"
    "0000007365747111635f5f6275696c74696e5f5f0a7365740a71125d71134b076185711452711558060000006e65"
    "7374656471167d71174b01580100000061711885711973752e";
constexpr std::string_view kProtocol4 =
    "800495bd000000000000008c0b636f6c6c656374696f6e73948c0b4f72646572656444696374949394295294288c"
    "0169945d94284b004bff4dffff4affffffff8a0500000080008a0800000000000000408a0800000000000000808a"
    "09000000000000000040658c016694473ff800000000000047800000000000000086948c0174948c05c3bce282ac"
    "948c016294430200ff948c016e944e8c04626f6f6c945d94288889658c03736574948f94284b07908c066e657374"
    "6564947d944b018c016194859473752e";

// {'s': float64(0.25), 'i': int32(-7), 'u': uint64(2**63), 'b': bool_(True), 'a': arange(6) as
// big-endian float32 (2, 3), 'F': the same as int16 in Fortran order, 'o': array([{'k': 1}, None])}
// with NumPy 2, in the protocols 2 and 5.
constexpr std::string_view kNumpy2 =
    "80027d7100285801000000737101636e756d70792e5f636f72652e6d756c746961727261790a7363616c61720a71"
    "02636e756d70790a64747970650a71035802000000663871048988877105527106284b0358010000003c71074e4e"
    "4e4affffffff4affffffff4b0074710862635f636f646563730a656e636f64650a71095809000000000000000000"
    "c3903f710a58060000006c6174696e31710b86710c52710d86710e52710f58010000006971106802680358020000"
    "00693471118988877112527113284b0368074e4e4e4affffffff4affffffff4b007471146268095808000000c3b9"
    "c3bfc3bfc3bf7115680b867116527117867118527119580100000075711a6802680358020000007538711b898887"
    "711c52711d284b0368074e4e4e4affffffff4affffffff4b0074711e626809580900000000000000000000c28071"
    "1f680b8671205271218671225271235801000000627124680268035802000000623171258988877126527127284b"
    "0358010000007c71284e4e4e4affffffff4affffffff4b00747129626809580100000001712a680b86712b52712c"
    "86712d52712e580100000061712f636e756d70792e5f636f72652e6d756c746961727261790a5f7265636f6e7374"
    "727563740a7130636e756d70790a6e6461727261790a71314b0085713268095801000000627133680b8671345271"
    "35877136527137284b014b024b038671386803580200000066347139898887713a52713b284b0358010000003e71"
    "3c4e4e4e4affffffff4affffffff4b0074713d62896809581b000000000000003fc2800000400000004040000040"
    "c280000040c2a00000713e680b86713f527140747141625801000000467142683068314b00857143683587714452"
    "7145284b014b024b0386714668035802000000693271478988877148527149284b0368074e4e4e4affffffff4aff"
    "ffffff4b0074714a62886809580c000000000003000100040002000500714b680b86714c52714d74714e62580100"
    "00006f714f683068314b008571506835877151527152284b014b02857153680358020000004f3871548988877155"
    "527156284b0368284e4e4e4affffffff4affffffff4b3f74715762895d7158287d715958010000006b715a4b0173"
    "4e6574715b62752e";
constexpr std::string_view kNumpy5 =
    "80059550020000000000007d94288c0173948c166e756d70792e5f636f72652e6d756c74696172726179948c0673"
    "63616c61729493948c056e756d7079948c0564747970659493948c02663894898887945294284b038c013c944e4e"
    "4e4affffffff4affffffff4b007494624308000000000000d03f94869452948c016994680468078c026934948988"
    "87945294284b03680b4e4e4e4affffffff4affffffff4b007494624304f9ffffff94869452948c01759468046807"
    "8c02753894898887945294284b03680b4e4e4e4affffffff4affffffff4b00749462430800000000000000809486"
    "9452948c016294680468078c02623194898887945294284b038c017c944e4e4e4affffffff4affffffff4b007494"
    "6243010194869452948c0161948c136e756d70792e5f636f72652e6e756d65726963948c0b5f66726f6d62756666"
    "657294939428961800000000000000000000003f80000040000000404000004080000040a000009468078c026634"
    "94898887945294284b038c013e944e4e4e4affffffff4affffffff4b007494624b024b0386948c01439474945294"
    "8c014694682c28960c000000000000000000030001000400020005009468078c02693294898887945294284b0368"
    "0b4e4e4e4affffffff4affffffff4b007494624b024b0386946837749452948c016f9468028c0c5f7265636f6e73"
    "747275637494939468058c076e6461727261799493944b0085944301629487945294284b014b02859468078c024f"
    "3894898887945294284b0368244e4e4e4affffffff4affffffff4b3f749462895d94287d948c016b944b01734e65"
    "749462752e";

std::shared_ptr<const PickleGraph> read(const std::string& bytes) {
  return read_pickle(as_bytes(bytes), "x");
}
void check_values(const std::string& bytes) {
  std::size_t used = 0;
  const auto graph = read_pickle(as_bytes(bytes + "trailing"), "x", &used);
  CHECK(used == bytes.size());
  CHECK(graph->placeholders.empty());
  const PickleValue& root = *graph->root;
  REQUIRE(root.is(PickleKind::dict));
  CHECK(root.items().size() == 16);
  const PickleItems& integers = root.find("i")->items();
  REQUIRE(integers.size() == 8);
  const std::int64_t expected[] = {0,
                                   255,
                                   65535,
                                   -1,
                                   std::int64_t{1} << 31,
                                   std::int64_t{1} << 62,
                                   std::numeric_limits<std::int64_t>::min()};
  for (std::size_t i = 0; i < 7; ++i) CHECK(integers[i]->integer() == expected[i]);
  CHECK(integers[7]->is(PickleKind::big_integer));
  CHECK(root.find("f")->is(PickleKind::tuple));
  CHECK(root.find("f")->items()[0]->number() == 1.5);
  CHECK(std::signbit(*root.find("f")->items()[1]->number()));
  CHECK(root.find("t")->text() == "\xc3\xbc\xe2\x82\xac");
  CHECK(root.find("b")->is(PickleKind::bytes));
  CHECK(root.find("b")->raw() == std::string_view("\x00\xff", 2));
  CHECK(root.find("n")->is(PickleKind::none));
  CHECK(root.find("bool")->items()[0]->integer() == 1);
  CHECK(root.find("bool")->items()[1]->is(PickleKind::boolean));
  CHECK(root.find("set")->is(PickleKind::set));
  CHECK(root.find("set")->items()[0]->integer() == 7);
  CHECK(root.find("nested")->items()[0]->integer() == 1);
  CHECK(root.find("nested")->items()[1]->items()[0]->text() == "a");
  CHECK(root.find("absent") == nullptr);
}

}  // namespace

TEST_CASE("pickle: values of every protocol") {
  check_values(from_hex(kProtocol0));
  check_values(from_hex(kProtocol2));
  check_values(from_hex(kProtocol4));
  std::string protocol5 = from_hex(kProtocol4);  // the same steps under a higher number
  protocol5[1] = 5;
  check_values(protocol5);
}

TEST_CASE("pickle: NumPy's scalars and arrays") {
  for (const std::string_view hex : {kNumpy2, kNumpy5}) {
    const auto graph = read(from_hex(hex));
    const PickleValue& root = *graph->root;
    CHECK(graph->placeholders.empty());
    CHECK(root.find("s")->number() == 0.25);
    CHECK(root.find("i")->integer() == -7);
    CHECK(root.find("u")->is(PickleKind::big_integer));  // 2^63 is no int64
    CHECK(root.find("b")->is(PickleKind::boolean));
    const std::vector<std::int64_t> counted{0, 1, 2, 3, 4, 5};
    const Array big_endian = to_array(*root.find("a")->array(), "x");
    CHECK(describe(big_endian) == "float32 (2, 3)");
    CHECK(to_int64(big_endian) == counted);
    const Array fortran = to_array(*root.find("F")->array(), "x");
    CHECK(describe(fortran) == "int16 (2, 3)");
    CHECK(to_int64(fortran) == counted);
    const PickleArray& objects = *root.find("o")->array();
    REQUIRE(objects.data->items().size() == 2);
    CHECK(objects.data->items()[0]->find("k")->integer() == 1);
    CHECK_THROWS_WITH(to_array(objects, "x"), Contains("objects"));
  }
}

TEST_CASE("pickle: foreign objects are names with what they were made from") {
  const auto graph = read(PickleWriter()
                              .global("some.settings", "Config")
                              .raw(")\x81}")
                              .text("lr")
                              .real(0.5)
                              .raw("sb")
                              .stop());
  CHECK(graph->root->class_name() == "some.settings.Config");
  CHECK(graph->root->find("lr")->number() == 0.5);
  CHECK(graph->placeholders == std::vector<std::string>{"some.settings.Config"});
  // A subclass of dict, made by calling it, with entries.
  const auto entries =
      read(PickleWriter().global("m", "D").raw(")R(").text("k").integer(3).raw("u").stop());
  REQUIRE(entries->root->object() != nullptr);
  CHECK(entries->root->object()->pairs.size() == 2);
  CHECK(read(PickleWriter().global("pathlib", "PosixPath").text("x").raw("\x85R").stop())
            ->root->class_name() == "pathlib.PosixPath");
  CHECK(read(PickleWriter().global("torch", "device").text("cuda").integer(1).raw("\x86R").stop())
            ->root->text() == "cuda:1");
  CHECK(read(PickleWriter().global("torch", "Size").raw("]").integer(4).raw("a\x85R").stop())
            ->root->is(PickleKind::tuple));
}

TEST_CASE("pickle: a container may hold itself") {
  const auto graph = read(PickleWriter()
                              .raw("]q\x01h\x01"
                                   "a")
                              .stop());
  CHECK(graph->root->items()[0] == graph->root);
}

TEST_CASE("pickle: objects of a .npy entry are read, but never as an array") {
  // A .npz with an entry of object type, made here as NumPy writes it.
  std::string object_array = from_hex(kNumpy2);
  std::string npy("\x93NUMPY\x01\x00", 8);
  const std::string header = "{'descr': '|O', 'fortran_order': False, 'shape': (), }\n";
  npy += static_cast<char>(header.size());
  npy += '\0';
  npy += header + object_array;
  const SharedBytes entry = shared_bytes(npy);
  CHECK_THROWS_WITH(parse_npy(entry, "x"), Contains("pickled"));
  CHECK(read_object_npy(entry, "x")->root->find("i")->integer() == -7);
}

TEST_CASE("pickle: every cut and thousands of wrong bytes are refused or harmless") {
  for (const std::string_view hex : {kProtocol0, kProtocol2, kProtocol4, kNumpy2, kNumpy5}) {
    const std::string whole = from_hex(hex);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CHECK_THROWS_AS(read(whole.substr(0, length)), FormatError);
    }
    for (std::uint32_t seed = 0; seed < 2000; ++seed) {
      const std::string damaged = with_wrong_bytes(whole, seed);
      try {
        const auto graph = read(damaged);
        for (const PickleValue& value : graph->values) {
          describe(value);
          if (value.array() != nullptr) to_array(*value.array(), "x");
        }
      } catch (const FormatError&) {
      }
    }
  }
}
