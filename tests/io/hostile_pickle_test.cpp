// Pickles made to do harm: refused by name, or read without harm, within little time and memory.
#include <string>

#include "lib/io/checkpoint.h"
#include "lib/io/format_error.h"
#include "lib/io/pickle_globals.h"
#include "lib/io/pickle_reader.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/shared_bytes.h"
#include "tests/support/torch_writer.h"

using namespace grasppanda::io;
using namespace grasppanda::tests;
using Catch::Matchers::Contains;

namespace {

std::string refusal(const std::string& bytes) {
  try {
    read_pickle(as_bytes(bytes), "x");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

std::string file_refusal(const std::string& bytes) {
  try {
    read_checkpoint(shared_bytes(bytes), "x.pth");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

// What refers to a name and calls it with one text.
std::string call(std::string_view module, std::string_view name) {
  return PickleWriter().global(module, name).text("touch pwned.txt").raw("\x85R").stop();
}

}  // namespace

TEST_CASE("hostile: what runs code, opens files or evaluates text is refused by name") {
  const std::pair<const char*, const char*> names[] = {
      {"os", "system"},
      {"posix", "system"},
      {"nt", "system"},
      {"os", "execv"},
      {"os.path", "join"},
      {"subprocess", "Popen"},
      {"subprocess", "check_output"},
      {"io", "open"},
      {"_io", "FileIO"},
      {"builtins", "eval"},
      {"builtins", "exec"},
      {"builtins", "open"},
      {"builtins", "compile"},
      {"builtins", "__import__"},
      {"builtins", "setattr"},
      {"builtins", "globals"},
      {"builtins", "map"},
      {"builtins", "type"},
      {"__builtin__", "eval"},
      {"__builtin__", "file"},
      {"__builtin__", "execfile"},
      {"__builtin__", "apply"},
      {"sys", "modules"},
      {"codecs", "open"},
      {"importlib", "import_module"},
      {"importlib.util", "spec_from_file_location"},
      {"runpy", "run_path"},
      {"pickle", "loads"},
      {"_pickle", "loads"},
      {"dill", "loads"},
      {"marshal", "loads"},
      {"shutil", "rmtree"},
      {"ctypes", "CDLL"},
      {"pty", "spawn"},
      {"socket", "socket"},
      {"urllib.request", "urlopen"},
      {"webbrowser", "open"},
      {"timeit", "timeit"},
      {"cProfile", "run"},
      {"pdb", "run"},
      {"bdb", "Bdb"},
      {"pip", "main"},
      {"code", "interact"},
      {"types", "FunctionType"},
      {"types", "CodeType"},
      {"functools", "reduce"},
      {"operator", "methodcaller"},
      {"operator", "attrgetter"},
      {"_operator", "methodcaller"},
      {"ast", "literal_eval"},
      {"tempfile", "mktemp"},
      {"multiprocessing.process", "Process"},
      {"asyncio", "run"},
      {"numpy", "load"},
      {"numpy", "fromfile"},
      {"numpy.testing._private.utils", "runstring"},
      {"numpy.f2py", "compile"},
      {"pandas", "read_pickle"},
      {"pandas", "eval"},
      {"joblib", "load"},
      {"torch", "load"},
      {"torch.hub", "load"},
      {"torch.serialization", "load"},
      {"torch.storage", "_load_from_bytes"},
      {"torch.jit", "load"},
      {"torch.ops", "load_library"},
      {"torch.utils.cpp_extension", "load"},
      {"torch.fx.graph_module", "reduce_graph_module"},
      {"six.moves.builtins", "eval"},
      {"yaml", "unsafe_load"},
      {"some.package", "safe_eval"},
      {"logging.config", "listen"},
      {"copyreg", "add_extension"},
      {"_codecs", "lookup"},
      {"linecache", "getline"}};
  for (const auto& [module, name] : names) {
    INFO(module << " " << name);
    const std::string said = std::string(module) + "." + name;
    CHECK_THAT(refusal(call(module, name)), Contains("refused") && Contains(said));
    // The reference alone is enough, wherever it lies.
    CHECK_THAT(refusal(PickleWriter().raw("}").text("k").global(module, name).raw("s").stop()),
               Contains(said));
  }
}

TEST_CASE("hostile: dotted names of protocol 4 do not slip through") {
  const auto dotted = [](const char* module, const char* name) {
    return refusal(PickleWriter().text(module).text(name).raw("\x93").stop());
  };
  CHECK_THAT(dotted("os", "system"), Contains("os.system"));
  CHECK_THAT(dotted("torch", "hub.load"), Contains("refused"));
  CHECK_THAT(dotted("torch.serialization", "os.system"), Contains("refused"));
  CHECK_THAT(dotted("torch", "serialization.os.system"), Contains("refused"));
  CHECK_THAT(dotted("pathlib", "Path.write_text"), Contains("refused"));
  CHECK_THAT(dotted("collections", "OrderedDict.__class__"), Contains("refused"));
  CHECK_THAT(dotted("torch", "nn.Module.__init__.__globals__"), Contains("refused"));
  CHECK_THAT(dotted("builtins", "dict.get"), Contains("refused"));
  CHECK(dotted("some.package", "Outer.Inner") == "accepted");
}

TEST_CASE("hostile: what training leaves behind is harmless") {
  for (const auto& [module, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"ultralytics.nn.modules.block", "C2f"},
           {"ultralytics.utils", "IterableSimpleNamespace"},
           {"pathlib", "PosixPath"},
           {"pathlib", "WindowsPath"},
           {"argparse", "Namespace"},
           {"datetime", "datetime"},
           {"torch.nn.modules.loss", "BCEWithLogitsLoss"},
           {"torch.nn.functional", "relu"},
           {"torch._C._nn", "gelu"},
           {"functools", "partial"},
           {"types", "SimpleNamespace"},
           {"mmcv.utils.config", "ConfigDict"},
           {"enum", "Enum"},
           {"numpy", "float32"},
           {"numpy.random._pickle", "__randomstate_ctor"},
           {"omegaconf.dictconfig", "DictConfig"},
           {"torch.optim.adam", "Adam"}}) {
    INFO(module << " " << name);
    CHECK(role_of(module, name) == GlobalRole::inert);
  }
}

TEST_CASE("hostile: getattr is a name on an inert class, and nothing else") {
  const auto got = [](PickleWriter& writer) -> PickleWriter& {
    return writer.global("__builtin__", "getattr")
        .global("a.head", "Detect")
        .text("forward")
        .raw("\x86R");
  };
  PickleWriter harmless;
  const std::string bytes = got(harmless).stop();
  const auto graph = read_pickle(as_bytes(bytes), "x");
  CHECK(graph->root->global()->name == "Detect.forward");
  CHECK(graph->placeholders == std::vector<std::string>{"a.head.Detect", "Detect.forward"});

  PickleWriter called, made, on_attribute;
  CHECK_THAT(refusal(got(called).raw(")R").stop()), Contains("'Detect.forward'"));
  CHECK_THAT(refusal(got(made).raw(")\x81").stop()), Contains("'Detect.forward'"));
  on_attribute.global("builtins", "getattr");
  CHECK_THAT(refusal(got(on_attribute).text("__globals__").raw("\x86R").stop()),
             Contains("getattr"));
  const auto get = [](const PickleWriter& of, const char* name) {
    return refusal(PickleWriter()
                       .global("builtins", "getattr")
                       .raw(of.stop().substr(2, of.stop().size() - 3))
                       .text(name)
                       .raw("\x86R")
                       .stop());
  };
  CHECK_THAT(get(PickleWriter().text("text"), "join"), Contains("getattr"));
  CHECK_THAT(get(PickleWriter().global("m", "C").raw(")\x81"), "x"), Contains("getattr"));
  CHECK_THAT(get(PickleWriter().global("builtins", "dict"), "get"), Contains("getattr"));
  CHECK_THAT(refusal(PickleWriter().global("builtins", "getattr").raw(")R").stop()),
             Contains("getattr"));
}

TEST_CASE("hostile: files that carry it are refused in every container") {
  const std::string pickle = call("posix", "system");
  CHECK_THAT(file_refusal(torch_zip(pickle)),
             Contains("x.pth: refused") && Contains("posix.system"));
  CHECK_THAT(file_refusal(pickle), Contains("posix.system"));
  CHECK_THAT(file_refusal("cos\nsystem\n(S'touch pwned.txt'\ntR."), Contains("os.system"));
  CHECK_THAT(file_refusal(torch_zip("(S'touch pwned.txt'\nios\nsystem\n.")), Contains("os.system"));
  CHECK_FALSE(std::filesystem::exists("pwned.txt"));
}

TEST_CASE("hostile: names cannot break the line of a message") {
  const std::string message =
      refusal(PickleWriter().text("os").text("a\nb\x1b[31m").raw("\x93").stop());
  CHECK(message.find('\n') == std::string::npos);
  CHECK(message.find('\x1b') == std::string::npos);
  CHECK_THAT(message, Contains("a\\x0ab"));
}

TEST_CASE("hostile: sizes that are not there") {
  CHECK_THAT(refusal(PickleWriter()
                         .raw("X\xff\xff\xff\x7f"
                              "abc")
                         .stop()),
             Contains("cut off"));
  CHECK_THAT(refusal(PickleWriter()
                         .raw("\x8e\xff\xff\xff\xff\xff\xff\xff\xff"
                              "abc")
                         .stop()),
             Contains("cut off"));
  CHECK_THAT(refusal(PickleWriter().raw("\x8b\xff\xff\xff\x7f\x01").stop()), Contains("cut off"));
  CHECK_THAT(refusal(PickleWriter().raw("\x95\xff\xff\xff\xff\xff\xff\xff\x7f").stop()),
             Contains("cut off"));
  CHECK_THAT(refusal(std::string("\x80\x09N.", 4)), Contains("protocol 9"));
  CHECK_THAT(refusal(PickleWriter().stop()), Contains("takes more than it has"));
  CHECK_THAT(refusal(PickleWriter().raw("(N0\x85").stop()), Contains("takes more than it has"));
  CHECK_THAT(refusal(PickleWriter().raw("h\x07").stop()), Contains("never stored"));
  CHECK_THAT(refusal(PickleWriter().raw("t").stop()), Contains("no mark"));
  CHECK_THAT(refusal(PickleWriter().raw("\x82\x01").stop()), Contains("extension registry"));
  CHECK_THAT(refusal(PickleWriter().raw("\xfe").stop()), Contains("unknown step 254"));
  CHECK_THAT(refusal(PickleWriter().raw("\x97").stop()), Contains("outside of the file"));
  CHECK_THAT(refusal(PickleWriter().text("a\xff").stop()), Contains("UTF-8"));
  CHECK_THAT(refusal(PickleWriter().raw("N)R").stop()), Contains("calls None"));
  CHECK_THAT(refusal(PickleWriter().raw("K\x01K\x02s").stop()), Contains("takes more"));
  CHECK_THAT(refusal(PickleWriter().raw("}(K\x01u").stop()), Contains("key without a value"));
}

TEST_CASE("hostile: deep nesting and repeated values need no deep stack and little memory") {
  // A million lists in one another; freed without recursion.
  std::string deep = PickleWriter().stop();
  deep.pop_back();
  deep.append(1'000'000, ']');
  deep.append(999'999, 'a');
  CHECK(refusal(deep + ".") == "accepted");
  // Thirty doublings: nothing unfolds until somebody walks it.
  PickleWriter doubling;
  doubling.raw("]");
  for (int i = 0; i < 30; ++i) doubling.raw("2\x86");
  CHECK(refusal(doubling.stop()) == "accepted");
  CHECK_THAT(file_refusal(torch_zip(doubling.stop())), Contains("a tuple of 2 entries"));
  // One long text, copied by every call.
  PickleWriter copies;
  copies.text(std::string(1 << 20, 'a')).raw("q\x01");
  for (int i = 0; i < 200; ++i) {
    copies.global("_codecs", "encode").raw("h\x01").text("latin1").raw("\x86R0");
  }
  CHECK_THAT(refusal(copies.stop()), Contains("repeats large values"));
  PickleWriter sets;
  sets.raw("(").raw(std::string(1 << 20, 'N')).raw("lq\x01");
  for (int i = 0; i < 200; ++i) sets.global("builtins", "set").raw("h\x01\x85R0");
  CHECK_THAT(refusal(sets.stop()), Contains("repeats large values"));
  // More objects than any checkpoint has.
  CHECK_THAT(refusal(PickleWriter().raw(std::string(5'000'000, ']')).stop()),
             Contains("more than 4000000 objects"));
}

TEST_CASE("hostile: summaries of cyclic and unfolding values end") {
  PickleWriter writer;
  writer.raw("}").text("w").global("torch._utils", "_rebuild_tensor_v2").raw("((").text("storage");
  writer.global("torch", "FloatStorage").text("0").text("cpu").integer(1).raw("tQ").integer(0);
  writer.integers({1}).integers({1}).boolean(false).empty_ordered_dict().raw("tRs");
  writer.text("cycle")
      .raw(
          "]q\x01h\x01"
          "as")
      .text("unfolding")
      .raw("]");
  for (int i = 0; i < 40; ++i) writer.raw("2\x86");
  writer.raw("s");
  const Checkpoint checkpoint = read_checkpoint(
      shared_bytes(torch_zip(writer.stop(), {{"0", std::string(4, '\0')}})), "x.pth");
  CHECK(checkpoint.tensors.size() == 1);
  CHECK(checkpoint.other->dump().size() < 2'000'000);
}
