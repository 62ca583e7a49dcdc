// Owns a precompiled header: CMake gives one only to a target that has a source.
