# Run at every build: asks git for the commit and writes OUTPUT from TEMPLATE if that changes it.
#   cmake -DSOURCE=... -DTEMPLATE=... -DOUTPUT=... -DVERSION=... ... -P WriteBuildInfo.cmake
set(COMMIT unknown)
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel HEAD
  OUTPUT_VARIABLE answer ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
if(status EQUAL 0 AND answer MATCHES "^(.+)\n([0-9a-f]+)$")
  # A source archive unpacked inside another checkout must not report that checkout's commit.
  set(found_commit ${CMAKE_MATCH_2})
  file(REAL_PATH "${CMAKE_MATCH_1}" top)
  file(REAL_PATH "${SOURCE}" source)
  if(top STREQUAL source)
    set(COMMIT ${found_commit})
    execute_process(COMMAND git -C ${SOURCE} diff-index --quiet HEAD RESULT_VARIABLE status
      ERROR_QUIET)
    if(status EQUAL 1)
      string(APPEND COMMIT -modified)
    endif()
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
