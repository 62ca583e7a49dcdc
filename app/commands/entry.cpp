// The door of libgrasppanda.so.
#include "app/commands/commands.h"
