// The steps of a pickle (Python's pickletools is the reference).
#pragma once

#include <cstdint>

namespace grasppanda::io {

enum class Opcode : std::uint8_t {
  // Protocols 0 and 1.
  mark = '(',
  stop = '.',
  pop = '0',
  pop_mark = '1',
  dup = '2',
  none = 'N',
  reduce = 'R',
  build = 'b',
  append = 'a',
  appends = 'e',
  setitem = 's',
  setitems = 'u',
  binfloat = 'G',
  binint = 'J',
  binint1 = 'K',
  binint2 = 'M',
  binunicode = 'X',
  binstring = 'T',
  short_binstring = 'U',
  binpersid = 'Q',
  binget = 'h',
  long_binget = 'j',
  binput = 'q',
  long_binput = 'r',
  empty_list = ']',
  empty_dict = '}',
  empty_tuple = ')',
  list = 'l',
  dict = 'd',
  tuple = 't',
  obj = 'o',
  global = 'c',
  inst = 'i',
  int_line = 'I',
  long_line = 'L',
  float_line = 'F',
  string_line = 'S',
  unicode_line = 'V',
  put_line = 'p',
  get_line = 'g',
  // Protocol 2.
  proto = 0x80,
  newobj = 0x81,
  ext1 = 0x82,
  ext2 = 0x83,
  ext4 = 0x84,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  newtrue = 0x88,
  newfalse = 0x89,
  long1 = 0x8a,
  long4 = 0x8b,
  // Protocol 3.
  binbytes = 'B',
  short_binbytes = 'C',
  // Protocol 4.
  short_binunicode = 0x8c,
  binunicode8 = 0x8d,
  binbytes8 = 0x8e,
  empty_set = 0x8f,
  additems = 0x90,
  frozenset = 0x91,
  newobj_ex = 0x92,
  stack_global = 0x93,
  memoize = 0x94,
  frame = 0x95,
  // Protocol 5.
  bytearray8 = 0x96,
  next_buffer = 0x97,
  readonly_buffer = 0x98
};

}  // namespace grasppanda::io
