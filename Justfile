# Commands for people who work on CaseTrack; `just` lists them. They use the checkout's .venv.

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

# run the tests, or those of one wing: core, map, keep, faces
test wing="" *ARGS:
    {{python}} -m pytest -q -n 2 {{ if wing =~ '^(core|map|keep|faces)$' { "--wing " + wing } else { wing } }} {{ARGS}}

# rewrite the golden texts of messages and the golden schemas, then list the files that changed
golden *ARGS:
    -{{python}} -m pytest -q -n 2 --regen --tb=no {{ARGS}} >/dev/null
    git status --short tests docs

# run also the tests that take minutes
slow *ARGS:
    {{python}} -m pytest -q -n 2 -m slow {{ARGS}}

# check style, types and layers
lint:
    {{bin}}/ruff check
    {{bin}}/ruff format --check
    {{bin}}/mypy
    {{bin}}/lint-imports --no-cache
    {{bin}}/lint-imports --no-cache --config tools/import_circles.toml

# put right what ruff can put right by itself
fix:
    {{bin}}/ruff check --fix
    {{bin}}/ruff format

# measure speed, memory and disk beside other engines; --quick, --write FILE; --help lists all
bench *ARGS:
    {{python}} -m bench.run {{ARGS}}

# measure search quality on a folder in BEIR layout: nDCG, recall, MRR; then the trend
eval DIR *ARGS:
    {{python}} -m casetrack eval {{DIR}} {{ARGS}}
    {{python}} -m casetrack eval {{DIR}} --history

# measure search quality on the clauses of real contracts (takes minutes); needs CASETRACK_TEST_DATA
clauses:
    {{python}} -m bench.clauses

# measure search on the held questions over ten documents of our own; options as of casetrack eval
held *ARGS:
    {{python}} -m bench.held {{ARGS}}

# measure how exactly citations are read: marked opinions, hard passages, contracts
citations DATA:
    {{python}} -m bench.citations {{DATA}}

# compare the stored text of a folder of documents with reference texts, word by word
fidelity DIR *ARGS:
    {{python}} -m bench.fidelity {{DIR}} {{ARGS}}

# measure how many cells of tables carry the names of their columns, by format: --held, --marks FILE
tables *ARGS:
    {{python}} -m bench.tables {{ARGS}}

# measure the check for covered words on the PDFs of a folder: words planted, false alarms
redactions DIR *ARGS:
    {{python}} -m bench.redactions {{DIR}} {{ARGS}}

# measure an OCR engine on a folder of pictures beside their texts: error rate, recall, seconds
ocr DIR *ARGS:
    {{python}} -m bench.ocr {{DIR}} {{ARGS}}

# measure what is found in texts against annotations by others; --names, --misses, --write FILE
extraction *ARGS:
    {{python}} -m bench.extraction {{ARGS}}

# write what the map says of real contracts, filings and mail, as text to be read; --home, --out
map-look *ARGS:
    {{python}} -m bench.look {{ARGS}}

# count which relations between documents of made-up collections are found, and which are right
belonging:
    {{python}} -m bench.belonging

# measure what the context graph costs: ingest, finders, answers over a thousand documents
graph-cost *ARGS:
    {{python}} -m bench.graph_cost {{ARGS}}

# check that the sample documents are what their script makes
samples:
    {{python}} data-samples/make_samples.py --check

# compare our cells with the vector indexes of Lance: recall, time, memory, bytes; needs a folder
nearest *ARGS:
    {{python}} -m bench.nearest {{ARGS}}

# kill workers, machines and drivers of an ingest on a cluster, and compare with one process; --kills N
cluster-kills *ARGS:
    {{python}} -m bench.cluster_kills {{ARGS}}

# hold what Ray makes of real files against what one process makes: FOLDERS --files 1000
cluster-equal *ARGS:
    {{python}} -m bench.cluster_equal {{ARGS}}

# search over shards beside one process: just shards --work FOLDER --models FOLDER --chunks 1000000
shards *ARGS:
    {{python}} -m bench.shards {{ARGS}}

# work out from runs with 1, 2 and 4 shards what many more take: --work FOLDER --models FOLDER
shard-model *ARGS:
    {{python}} -m bench.shard_model {{ARGS}}

# measure the sync of many small files: first, unchanged, 1 % changed, 1 % moved; --files N
syncing *ARGS:
    {{python}} -m bench.syncing {{ARGS}}

# plant errors of ten kinds into briefs over real opinions and check them: DIR --errors N --show
cite-check DIR *ARGS:
    {{python}} -m bench.cite_check {{DIR}} {{ARGS}}

# measure disk and time over many small updates; --updates N
updates *ARGS:
    {{python}} -m bench.updates {{ARGS}}

# measure a day of watching under a simulated clock: memory, syncs, time; --hours N
watching *ARGS:
    {{python}} -m watching {{ARGS}}

# do a first-time user's tasks at the window in a real browser: --contracts FOLDER, --out FOLDER for pictures
window-tasks *ARGS:
    {{python}} -m bench.window_tasks {{ARGS}}

# measure the window to pixels in a real browser: DATA_FOLDER COLLECTION --question Q
window-speed DATA COLLECTION *ARGS:
    {{python}} -m bench.window_speed {{DATA}} {{COLLECTION}} {{ARGS}}

# kill programs anywhere, fill disks, let many work at once (takes half an hour); `just faults --kills N` kills more often
crash *ARGS:
    CASETRACK_BAD_DISKS=60 CASETRACK_STRESS_SECONDS=180 {{python}} -m pytest -q -s -m slow tests/crash {{ARGS}}

# run tests on Linux as if their files lay on Windows (needs cc): FOLDERS or FILES of tests
windows *ARGS="tests/store tests/keep/sync tests/keep/watch":
    {{python}} -m portability.windows -q -n 2 {{ARGS}}

# make the bundle for Claude Desktop, and its SHA-256; --out FOLDER
bundle *ARGS:
    {{python}} -m casetrack.faces.setup.bundle {{ARGS}}

# hold the server against the protocol's own tools: Inspector and conformance (needs npm)
conformance *ARGS:
    {{python}} -m conformance.run {{ARGS}}

# measure ten questions in SQL over fifty contracts; --help lists the options
questions *ARGS:
    {{python}} -m bench.questions {{ARGS}}

# make the pictures of README and docs anew (needs chromium); --only NAME, --out FOLDER
pictures *ARGS:
    {{python}} -m pictures {{ARGS}}

# measure the server: start, search over stdio and HTTP beside the call in process, memory
serving *ARGS:
    {{python}} -m bench.serving {{ARGS}}

# count what the list of tools costs a client, by set: bytes and tokens
tokens *ARGS:
    {{python}} -m bench.token_cost {{ARGS}}

# ask thirty questions as an AI program would: tokens, calls, answers with their place; --contracts DIR
agents *ARGS:
    {{python}} -m bench.agents {{ARGS}}

# call all tools with hostile arguments, and send lines that are no messages; --calls, --lines, --seed
fuzz *ARGS:
    {{python}} -m bench.fuzz {{ARGS}}

# damage a small collection in every way a disk can, and judge what becomes of it; --cases, --seed
faults *ARGS:
    {{python}} -m bench.faults {{ARGS}}

# make a release from the last commit, twice, and check it: --dry-run, --key FILE, --out FOLDER, --no-demo
release *ARGS:
    {{python}} -m release {{ARGS}}

# list the licences of the environment and the models; refuses what does not go with ours; --out FILE
licences *ARGS:
    {{python}} -m release.licences {{ARGS}}

# kill updates of the program at any moment: --kills N, --seed N (by uv, where it is there)
update-kills *ARGS:
    {{python}} -m bench.update_kills {{ARGS}}

# measure sealing and unsealing beside plain copying; --mb N, --folder FOLDER
sealing *ARGS:
    {{python}} -m bench.sealing {{ARGS}}
