// The models as cases of `ops bench --models`.
#pragma once

#include <vector>

#include "lib/ops/operator_bench.h"

namespace grasppanda::app {

/// Every grasp model of the list at batch 1 and 4: weights of the real shapes and a table-top cloud
/// made from seeds, no files. A batch is worked off one cloud after the other, as `infer` does.
/// Rows: model/NAME/STAGE/bB with the stages prepare, network, postprocess and total; and
/// model/graspnet_baseline/encoder/bB, PointNet++ alone on 20 000 points.
std::vector<ops::BenchCase> model_bench_cases();

}  // namespace grasppanda::app
