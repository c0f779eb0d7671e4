# Commands for developers of CaseTrack; `just` lists them. They use the checkout's .venv.

python := env("CASETRACK_PYTHON", ".venv/bin/python")
bin := parent_directory(python)
export PYTHONPATH := "tools" + PATH_VAR_SEP + "tests"

# list the recipes
[private]
default:
    @{{just_executable()}} --list

# run the main job on the sample documents: model, ingest, search, cited answers
demo *ARGS:
    {{python}} -m casetrack demo {{ARGS}}

# run the tests, or those of one group: core, map, keep, faces
test wing="" *ARGS:
    {{python}} -m pytest -q -n 2 {{ if wing =~ '^(core|map|keep|faces)$' { "--wing " + wing } else { wing } }} {{ARGS}}

# rewrite the golden texts of messages and the golden schemas, then list the files that changed
golden *ARGS:
    -{{python}} -m pytest -q -n 2 --regen --tb=no {{ARGS}} >/dev/null
    git status --short tests docs

# run all tests, including those that take minutes
slow *ARGS:
    {{python}} -m pytest -q -n 2 -m slow {{ARGS}}

# check style, types, layers and language
lint:
    {{bin}}/ruff check
    {{bin}}/ruff format --check
    {{bin}}/mypy
    {{bin}}/lint-imports --no-cache
    {{bin}}/lint-imports --no-cache --config tools/import_circles.toml
    {{python}} -m quality.language

# fix the problems that ruff can fix
fix:
    {{bin}}/ruff check --fix
    {{bin}}/ruff format

# measure speed, memory and disk: all, a group (keyword, modes, curve, ...), graph, shards or tokens; --help
bench part="" *ARGS:
    {{python}} -m bench.{{ if part =~ '^(graph|shards|tokens)$' { part } else if part =~ '^[a-z]' { "run --only " + quote(part) } else { "run " + part } }} {{ARGS}}

# measure quality: held, extraction, marks, tables or cite_check; each takes --help
quality part *ARGS:
    {{python}} -m quality.{{part}} {{ARGS}}

# do 69 tasks in the window with a headless browser, from an empty data folder; --files FOLDER
window-tasks *ARGS:
    {{python}} -m window_tasks {{ARGS}}

# damage files (--cases N) or kill programs (--kills N); or crash, fuzz, watching, windows
faults part="" *ARGS:
    {{ if part == "crash" { "CASETRACK_BAD_DISKS=60 CASETRACK_STRESS_SECONDS=180 " + python + " -m pytest -q -s -m slow tests/crash" } else if part == "fuzz" { "CASETRACK_FUZZ=5000 CASETRACK_FUZZ_CASES=100000 " + python + " -m pytest -q -m slow --timeout 0 tests/faces/mcp/test_fuzz.py tests/extract/test_fuzz.py" } else if part == "watching" { python + " -m watching" } else if part == "windows" { python + " -m portability.windows -q -n 2 tests/store tests/keep/sync tests/api/watch" } else { python + " -m faults.run " + part } }} {{ARGS}}

# check the server with the protocol's tools: Inspector and conformance suite (needs npm)
conformance *ARGS:
    {{python}} -m conformance.run {{ARGS}}

# build a release from the last commit, twice, and check it; or bundle, licences or pictures alone
release part="" *ARGS:
    {{python}} -m {{ if part == "bundle" { "release.bundle" } else if part == "licences" { "release.licences" } else if part == "pictures" { "pictures" } else { "release " + part } }} {{ARGS}}
