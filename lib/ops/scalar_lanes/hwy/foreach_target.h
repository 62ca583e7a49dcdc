// There is one target, the scalar one: see highway.h beside this file.
#pragma once
