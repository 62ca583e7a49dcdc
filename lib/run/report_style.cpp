#include "lib/run/report_assets.h"

namespace grasppanda::run {

const std::string_view kReportStyle = R"css(
:root {
  color-scheme: light dark;
  --ink: #1c2024; --soft: #60666d; --line: #d9dde1; --page: #f6f7f8; --card: #ffffff;
  --accent: #3b5bdb; --bad: #c92a2a; --warn: #b35c00; --good: #2b8a3e; --stage: #14171a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e8ea; --soft: #9aa1a8; --line: #32373c; --page: #16191c; --card: #1f2327;
    --accent: #8ea6ff; --bad: #ff8787; --warn: #ffb35c; --good: #69db7c; --stage: #0c0e10;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem; max-width: 90rem; background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h3 { font-size: .85rem; margin: 1rem 0 .35rem; color: var(--soft); font-weight: 600; }
a { color: var(--accent); }
code { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.facts { color: var(--soft); margin: 0 0 1rem; }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem;
  margin: 0 0 1rem; overflow-x: auto;
}
.views { display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: 1rem; }
.views img { width: 100%; max-height: 85vh; object-fit: contain; display: block; border-radius: 6px; }
.tables { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, max-content)); gap: 0 2.5rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .9rem .2rem 0; text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; }
.failed { color: var(--bad); } .empty { color: var(--warn); } .done { color: var(--good); }
.warning { color: var(--warn); margin: .25rem 0; overflow-wrap: anywhere; }
.error { color: var(--bad); overflow-wrap: anywhere; }
.scene {
  position: relative; aspect-ratio: 4 / 3; background: var(--stage) center / 100% 100% no-repeat;
  border-radius: 6px; overflow: hidden; color: #c9ced3;
}
.scene canvas { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; cursor: grab; }
.scene canvas:active { cursor: grabbing; }
.scene .hint { position: absolute; inset: auto .7rem .5rem; font-size: 12px; pointer-events: none; }
.tools { display: flex; gap: 1rem; align-items: center; margin: .4rem 0 0; color: var(--soft); font-size: 13px; }
.tools input { accent-color: var(--accent); }
footer { color: var(--soft); font-size: 13px; margin-top: 2rem; }
)css";

}  // namespace grasppanda::run
