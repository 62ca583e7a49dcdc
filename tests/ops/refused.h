// That a call is refused, and that the message names operator, argument and what is wrong.
#pragma once

#include <string>

#include "lib/ops/errors.h"
#include "tests/catch.h"

namespace grasppanda::tests {

template <class Call>
void check_refused(const std::string& op, const std::string& part, const Call& call) {
  INFO("wanted: " << op << ": ..." << part);
  try {
    call();
  } catch (const ops::ArgumentError& error) {
    const std::string message = error.what();
    INFO("got: " << message);
    CHECK(message.rfind(op + ": ", 0) == 0);
    CHECK(message.find(part) != std::string::npos);
    return;
  }
  FAIL_CHECK("the call was not refused");
}

}  // namespace grasppanda::tests
