#include <algorithm>
#include <array>
#include <string>

#include "lib/io/pickle_globals.h"

namespace grasppanda::io {

namespace {

// clang-format off

// Nothing in a pickle is ever executed here, so these lists do not protect this program: they tell
// a file that was made to do harm from one that merely carries foreign settings.

// Packages whose every name is refused: they run code, start processes, touch files or the network,
// or load what does.
constexpr auto kForbiddenPackages = std::to_array<std::string_view>({
    "IPython", "_ctypes", "_frozen_importlib", "_frozen_importlib_external", "_imp", "_io",
    "_pickle", "_posixshmem", "_posixsubprocess", "_pyio", "_pyrepl", "_socket", "_sqlite3",
    "_testcapi", "_thread", "_winapi", "aiohttp", "anydbm", "ast", "asyncio", "asyncore",
    "atexit", "bdb", "bz2", "cPickle", "cProfile", "cffi", "cgi", "cloudpickle", "cmd", "code",
    "codeop", "commands", "compileall", "concurrent", "ctypes", "dbm", "dill", "distutils",
    "doctest", "ensurepip", "faulthandler", "fcntl", "filecmp", "fileinput", "ftplib", "gc",
    "glob", "gzip", "http", "httplib", "idlelib", "imaplib", "imp", "importlib", "inspect",
    "io", "joblib", "jsonpickle", "lib2to3", "linecache", "lzma", "mailbox", "mailcap",
    "marshal", "mmap", "modulefinder", "msvcrt", "multiprocess", "multiprocessing", "netrc",
    "nntplib", "nt", "ntpath", "os", "paramiko", "pdb", "pexpect", "pickle", "pickletools",
    "pip", "pipes", "pkg_resources", "pkgutil", "platform", "popen2", "poplib", "posix",
    "posixfile", "posixpath", "profile", "psutil", "pty", "py_compile", "pyclbr", "pydoc",
    "requests", "resource", "rlcompleter", "runpy", "sched", "selectors", "setuptools",
    "shelve", "shlex", "shutil", "signal", "site", "sitecustomize", "smtplib", "socket",
    "socketserver", "sqlite3", "ssl", "subprocess", "symtable", "sys", "sysconfig", "tarfile",
    "telnetlib", "tempfile", "threading", "timeit", "tkinter", "trace", "tracemalloc", "turtle",
    "urllib", "urllib2", "urllib3", "venv", "webbrowser", "winreg", "wsgiref", "xmlrpc",
    "zipapp", "zipfile", "zipimport"});

// The most telling of these wherever they stand in a path (`six.moves.builtins`).
constexpr auto kForbiddenSteps = std::to_array<std::string_view>({
    "__builtin__", "__builtins__", "builtins", "cloudpickle", "ctypes", "importlib", "os",
    "pickle", "posix", "runpy", "subprocess", "sys"});

// Parts of otherwise ordinary packages that do the same; a module below one of them, too.
constexpr auto kForbiddenModules = std::to_array<std::string_view>({
    "logging.config", "logging.handlers", "numpy.ctypeslib", "numpy.distutils", "numpy.f2py",
    "numpy.lib.format", "numpy.lib.npyio", "numpy.lib._npyio_impl", "numpy.testing",
    "pandas.core.computation", "pandas.io", "torch._dynamo", "torch._inductor", "torch.classes",
    "torch.distributed.elastic", "torch.distributed.launch", "torch.distributed.rpc",
    "torch.distributed.run", "torch.fx", "torch.hub", "torch.jit", "torch.multiprocessing",
    "torch.ops", "torch.package", "torch.utils.bundled_inputs", "torch.utils.collect_env",
    "torch.utils.cpp_extension", "torch.utils.hipify", "torch.utils.model_zoo"});

// Names that do the same wherever they are found.
constexpr auto kForbiddenNames = std::to_array<std::string_view>({
    "CDLL", "FileHandler", "Popen", "__class__", "__dict__", "__getattribute__", "__globals__",
    "__import__", "__subclasses__", "breakpoint", "check_call", "check_output", "compile",
    "delattr", "dump", "dumps", "eval", "fdopen", "fork", "from_file", "fromfile", "genfromtxt",
    "getattr", "getoutput", "getstatusoutput", "globals", "literal_eval", "locals", "memmap",
    "popen", "reduce_graph_module", "run", "runcode", "runctx", "runsource", "runstring",
    "safe_eval", "save", "savetxt", "savez", "setattr", "startfile", "system", "tofile",
    "unpickle", "unsafe_load", "urlopen", "urlretrieve", "vars"});
constexpr auto kForbiddenBeginnings = std::to_array<std::string_view>({
    "_import", "_jit", "_load", "_open", "exec", "import_", "load", "open", "read_", "spawn",
    "write_"});

// clang-format on

template <std::size_t N>
constexpr bool listed(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// Is `module` the listed one or below it?
bool inside(std::string_view module, std::string_view listed_module) {
  return module.starts_with(listed_module) &&
         (module.size() == listed_module.size() || module[listed_module.size()] == '.');
}

// Calls visit(step) for the parts between the dots until one is true.
template <class Visit>
bool any_step(std::string_view path, Visit visit) {
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    if (visit(path.substr(0, dot))) return true;
    path.remove_prefix(dot == path.npos ? path.size() : dot + 1);
  }
  return false;
}

}  // namespace

bool is_forbidden_global(std::string_view module, std::string_view name) {
  if (listed(kForbiddenPackages, module.substr(0, module.find('.')))) return true;
  if (any_step(module, [](auto step) { return listed(kForbiddenSteps, step); })) return true;
  // A dotted name may enter modules as well (`torch` `hub.load`), or leave for one that its module
  // has imported (`torch.serialization` `os.system`).
  const std::size_t dot = name.rfind('.');
  std::string path(module);
  if (dot != name.npos) {
    path += '.';
    path += name.substr(0, dot);
    if (any_step(name.substr(0, dot), [](auto step) { return listed(kForbiddenPackages, step); })) {
      return true;
    }
  }
  for (const std::string_view part : kForbiddenModules) {
    if (inside(path, part)) return true;
  }
  if (inside(module, "pathlib")) return dot != name.npos;  // its classes are paths, methods act
  return any_step(name, [](std::string_view step) {
    return listed(kForbiddenSteps, step) || listed(kForbiddenNames, step) ||
           std::ranges::any_of(kForbiddenBeginnings,
                               [&](auto start) { return step.starts_with(start); });
  });
}

}  // namespace grasppanda::io
