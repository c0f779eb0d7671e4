"""Statements that reach for what they must not have, and the program that sets off the bombs."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from casetrack.query.reading import Reading

PEAK_MIB = 1024
BRIEF: dict[str, Any] = {"timeout": 0.05, "memory_mb": 128}
TIGHT: dict[str, Any] = {"timeout": 300, "memory_mb": 64}
_ADDRESS_SPACE = 12 << 30

WARM_UP = (
    "SELECT * FROM documents",
    "SELECT * FROM chunks, entities, dates, amounts LIMIT 1",
    "SELECT * FROM bm25('rent', 3), pages, components()",
    "SELECT count(*) FROM documents d, search('rent', mode => 'keyword')",
)

READ_ONLY = "Only reading is allowed"
OUTSIDE = "outside the collection"
UNKNOWN = "SQL error"
ANY = "Only reading is allowed|outside the collection|SQL error|not allowed|internal"

_READERS = (
    "read_csv",
    "read_csv_auto",
    "sniff_csv",
    "read_text",
    "read_blob",
    "read_parquet",
    "parquet_scan",
    "parquet_metadata",
    "parquet_schema",
    "parquet_file_metadata",
    "parquet_kv_metadata",
    "read_json",
    "read_json_auto",
    "read_json_objects",
    "read_ndjson",
    "read_ndjson_auto",
    "read_ndjson_objects",
    "read_duckdb",
    "glob",
)
_PLACES = (
    "{folder}/secret.csv",
    "{folder}/*",
    "file://{folder}/secret.csv",
    "https://example.com/x.csv",
    "http://169.254.169.254/latest/meta-data",
    "s3://bucket/x.parquet",
    "gs://bucket/x.parquet",
    "hf://datasets/owner/name/x.csv",
    "/etc/passwd",
    "/proc/self/environ",
)

REFUSED: dict[str, tuple[tuple[str, str], ...]] = {
    "readers": tuple((f"SELECT * FROM {f}('{{folder}}/secret.csv')", ANY) for f in _READERS),
    "places": tuple((f"SELECT * FROM read_text('{p}')", OUTSIDE) for p in _PLACES),
    "files as tables": (
        *((f"SELECT * FROM '{p}'", ANY) for p in _PLACES),
        ("SELECT * FROM '{folder}/secret.json'", ANY),
        ('SELECT * FROM "{folder}/secret.csv"', ANY),
        ("FROM '{folder}/secret.csv' SELECT *", ANY),
        ("TABLE '{folder}/secret.csv'", ANY),
        ("DESCRIBE '{folder}/secret.csv'", ANY),
        ("SUMMARIZE '{folder}/secret.csv'", ANY),
        ("DESCRIBE SELECT * FROM read_csv('{folder}/secret.csv')", ANY),
        ("SELECT (SELECT count(*) FROM '{folder}/secret.csv')", ANY),
        ("WITH s AS (FROM '{folder}/secret.csv') SELECT 1 FROM s", ANY),
        ("SELECT * FROM read_text(['{folder}/secret.csv', '/etc/passwd'])", ANY),
        ("SELECT * FROM read_text('{folder}' || '/secret.csv')", ANY),
        ("SELECT * FROM read_text($${folder}/secret.csv$$)", ANY),
        ("SELECT * FROM system.main.read_text('{folder}/secret.csv')", ANY),
        ("SELECT * FROM \"READ_TEXT\"('{folder}/secret.csv')", ANY),
        ("SELECT * FROM read_text/**/('{folder}/secret.csv')", ANY),
        ("SELECT t.* FROM documents d, LATERAL read_text(d.path) t", ANY),
        ("EXPLAIN ANALYZE SELECT * FROM read_text('{folder}/secret.csv')", ANY),
        ("SELECT * FROM sqlite_scan('{folder}/secret.csv', 't')", ANY),
        ("SELECT * FROM iceberg_scan('{folder}')", ANY),
        ("SELECT * FROM delta_scan('{folder}')", ANY),
        ("SELECT * FROM st_read('{folder}/secret.json')", ANY),
        ("SELECT * FROM postgres_query('host=localhost', 'SELECT 1')", ANY),
        ("SELECT * FROM sql_auto_complete('SELECT * FROM \"/etc/')", ANY),
        ("SELECT * FROM read_csv('https://example.com/x.csv')", ANY),
        ("SELECT * FROM glob('/*')", OUTSIDE),
        ("SELECT pg_read_file('{folder}/secret.csv')", ANY),
        ("SELECT load_extension('{folder}/secret.csv')", ANY),
        ("SELECT readfile('{folder}/secret.csv')", ANY),
    ),
    "writes": (
        ("COPY (SELECT 1) TO '{folder}/out'", READ_ONLY),
        ("COPY chunks TO '{folder}/out' (FORMAT parquet)", READ_ONLY),
        ("COPY documents FROM '{folder}/secret.csv'", READ_ONLY),
        ("COPY (SELECT 1) TO 's3://bucket/out'", READ_ONLY),
        ("COPY (SELECT 1) TO PROGRAM 'sh'", ANY),
        ("COPY FROM DATABASE memory TO temp", READ_ONLY),
        ("EXPORT DATABASE '{folder}/out'", READ_ONLY),
        ("IMPORT DATABASE '{folder}'", READ_ONLY),
        ("EXPLAIN COPY (SELECT 1) TO '{folder}/out'", ANY),
        ("EXPLAIN ANALYZE COPY (SELECT 1) TO '{folder}/out'", ANY),
        ("EXPLAIN (ANALYZE, FORMAT json) COPY (SELECT 1) TO '{folder}/out'", ANY),
        ("EXPLAIN ANALYZE EXPORT DATABASE '{folder}/out'", ANY),
        ("EXPLAIN ANALYZE ATTACH '{folder}/out'", ANY),
        ("EXPLAIN EXPLAIN ANALYZE COPY (SELECT 1) TO '{folder}/out'", ANY),
        ("EXPLAIN ANALYZE CREATE OR REPLACE VIEW documents AS SELECT 1", READ_ONLY),
        ("EXPLAIN (ANALYZE) DROP VIEW chunks", READ_ONLY),
        ("EXPLAIN SET VARIABLE x = 1", READ_ONLY),
        ("EXPLAIN /* ( */ ANALYZE CREATE SECRET s (TYPE http)", READ_ONLY),
        ("WITH x AS (COPY documents TO '{folder}/out') SELECT 1", ANY),
        ("SELECT * FROM (COPY documents TO '{folder}/out')", ANY),
        ("INSERT INTO documents VALUES (1)", ANY),
        ("DELETE FROM chunks", ANY),
        ("UPDATE documents SET name = 'x'", ANY),
        ("TRUNCATE documents", ANY),
        ("MERGE INTO documents USING chunks ON true WHEN MATCHED THEN DELETE", ANY),
        ("WITH x AS (INSERT INTO documents VALUES (1) RETURNING *) SELECT * FROM x", ANY),
        ("WITH x AS (DELETE FROM documents RETURNING *) SELECT * FROM x", ANY),
        ("WITH x AS (UPDATE documents SET name = 'x' RETURNING *) SELECT * FROM x", ANY),
        ("SELECT 1 INTO t", ANY),
    ),
    "definitions": (
        ("CREATE TABLE x AS SELECT 1", READ_ONLY),
        ("CREATE OR REPLACE VIEW documents AS SELECT 1", READ_ONLY),
        ("CREATE MACRO m() AS 1", READ_ONLY),
        ("CREATE FUNCTION search(q) AS TABLE SELECT 1", READ_ONLY),
        ("CREATE TYPE t AS ENUM ('a')", READ_ONLY),
        ("CREATE SECRET s (TYPE http)", READ_ONLY),
        ("CREATE PERSISTENT SECRET s (TYPE http)", READ_ONLY),
        ("CREATE SCHEMA s", READ_ONLY),
        ("CREATE SEQUENCE q", READ_ONLY),
        ("CREATE INDEX i ON documents (name)", READ_ONLY),
        ("DROP VIEW chunks", READ_ONLY),
        ("ALTER VIEW documents RENAME TO d", READ_ONLY),
        ("COMMENT ON VIEW documents IS 'x'", READ_ONLY),
    ),
    "sessions": (
        ("ATTACH '{folder}/other.db' AS other", READ_ONLY),
        ("ATTACH ':memory:' AS other", READ_ONLY),
        ("ATTACH 'https://example.com/x.db' AS other", READ_ONLY),
        ("ATTACH 'postgres:host=localhost' AS other (TYPE postgres)", READ_ONLY),
        ("DETACH memory", READ_ONLY),
        ("USE temp", READ_ONLY),
        ("INSTALL httpfs", READ_ONLY),
        ("UPDATE EXTENSIONS", READ_ONLY),
        ("FORCE INSTALL httpfs FROM 'https://example.com'", READ_ONLY),
        ("LOAD httpfs", READ_ONLY),
        ("LOAD '{folder}/secret.csv'", READ_ONLY),
        ("PRAGMA database_list", READ_ONLY),
        ("PRAGMA enable_profiling", READ_ONLY),
        ("PRAGMA memory_limit = '100GB'", READ_ONLY),
        ("SET memory_limit = '100GB'", READ_ONLY),
        ("SET GLOBAL enable_external_access = true", READ_ONLY),
        ("SET lock_configuration = false", READ_ONLY),
        ("SET search_path = 'temp'", READ_ONLY),
        ("SET VARIABLE x = 1", READ_ONLY),
        ("RESET VARIABLE x", READ_ONLY),
        ("RESET memory_limit", READ_ONLY),
        ("CALL pragma_version()", READ_ONLY),
        ("CALL enable_logging()", READ_ONLY),
        ("CALL force_checkpoint()", READ_ONLY),
        ("SELECT * FROM enable_logging()", ANY),
        ("SELECT * FROM enable_profiling()", ANY),
        ("CHECKPOINT", READ_ONLY),
        ("VACUUM", READ_ONLY),
        ("ANALYZE", READ_ONLY),
        ("PREPARE v AS SELECT 1", READ_ONLY),
        ("EXECUTE v", READ_ONLY),
        ("DEALLOCATE v", READ_ONLY),
        ("BEGIN", READ_ONLY),
        ("COMMIT", READ_ONLY),
        ("ROLLBACK", READ_ONLY),
    ),
    "several": (
        ("SELECT 1; SELECT 2", "One statement at a time"),
        ("SELECT 1; DROP VIEW chunks", "One statement at a time"),
        ("SELECT ';'; DROP VIEW chunks", "One statement at a time"),
        ("SELECT 1 -- ;\n; COPY (SELECT 1) TO '{folder}/out'", "One statement at a time"),
        ("SELECT 1 /* ' */; DROP VIEW chunks -- '", "One statement at a time"),
        ("SELECT 1\0; DROP VIEW chunks", "One statement at a time|SQL error"),
        ("", "The statement is empty"),
        ("-- nothing", "The statement is empty"),
        ("/* nothing */ ;", "The statement is empty"),
    ),
    "internal names": (
        ("SELECT * FROM _stored_chunks", "internal"),
        ("SELECT * FROM _stored_chunks_1", "internal"),
        ("SELECT * FROM _ledger_1", "internal"),
        ('SELECT * FROM "_Stored_Chunks_1"', "internal"),
        ("SELECT * FROM memory.main._stored_chunks_1", ANY),
        ('SELECT * FROM temp."_stored_chunks_1"', "internal"),
        ("SELECT * FROM '_stored_chunks_1'", ANY),
        ("SELECT * FROM $$_stored_chunks_1$$", ANY),
        ("SELECT * FROM E'_stored\\x5fchunks_1'", ANY),
        ("TABLE _stored_chunks_1", "internal"),
        ("DESCRIBE _stored_chunks_1", "internal"),
        ("SUMMARIZE _stored_chunks_1", "internal"),
        ("SELECT * FROM query('FROM _stored' || '_chunks_1')", ANY),
        ("SELECT * FROM query/**/('FROM _stored' || '_chunks_1')", ANY),
        ("SELECT * FROM query -- \n ('FROM _stored' || '_chunks_1')", ANY),
        ("SELECT * FROM \"query\"('FROM _stored' || '_chunks_1')", ANY),
        ("SELECT * FROM system.main.query('FROM _stored' || '_chunks_1')", ANY),
        ("SELECT * FROM query/* /* */ */('FROM _stored' || '_chunks_1')", ANY),
        ("SELECT * FROM query\u00a0('FROM _stored' || '_chunks_1')", ANY),
        ("SELECT * FROM query\u3000/**/('FROM _stored' || '_chunks_1')", ANY),
        ("SELECT * FROM query_table('_stored' || '_chunks_1')", ANY),
        ("SELECT * FROM query_table(['_stored' || '_chunks_1'])", ANY),
        ("SELECT * FROM query_table /* */ ('_stored' || '_chunks_1')", ANY),
        ("FROM json_execute_serialized_sql(json_serialize_sql('FROM _stored_chunks_1'))", ANY),
        ("SELECT * FROM query('SELECT 1; DROP VIEW chunks')", ANY),
        ("SELECT _search_1('rent', 3, NULL, NULL)", ANY),
        ("SELECT \"_cite_1\"('x')", ANY),
    ),
    "disguises": (
        ("\u0405ELECT 1", UNKNOWN),
        ("\uff33\uff25\uff2c\uff25\uff23\uff34 1", UNKNOWN),
        ("SELECT * FROM \uff3fstored_chunks_1", UNKNOWN),
        ("SELECT * FROM re\u0430d_text('{folder}/secret.csv')", UNKNOWN),
        ("SELECT * FROM read_text(\u2019{folder}/secret.csv\u2019)", UNKNOWN),
        ("SELECT '\ud800'", "half a character"),
        ("COPY\u00a0(SELECT 1) TO '{folder}/out'", ANY),
        ("/**/COPY/**/(SELECT 1)/**/TO/**/'{folder}/out'", ANY),
        ("-- SELECT\nDROP VIEW chunks", READ_ONLY),
        ("SELECT 1 UNION SELECT * FROM read_text('{folder}/secret.csv')", ANY),
        ("SELECT getenv('CASETRACK_CANARY')", UNKNOWN),
        ("SELECT system.main.getenv('HOME')", UNKNOWN),
        ("SELECT * FROM arrow_scan(1, 2, 3)", ANY),
        ("SELECT * FROM pandas_scan(1)", ANY),
        ("SELECT * FROM python_map_function(1)", ANY),
    ),
}
"""What must be refused, with a part of what is said then (parts with ``|`` between)."""

LOOKING: dict[str, tuple[str, ...]] = {
    "settings": (
        "SELECT * FROM duckdb_settings()",
        "SELECT current_setting('secret_directory')",
        "SHOW secret_directory",
        "SELECT * FROM pg_settings",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM which_secret('s3://bucket', 's3')",
        "SELECT * FROM duckdb_extensions()",
        "SELECT * FROM pragma_database_size()",
        "SELECT * FROM pragma_user_agent()",
        "SELECT current_setting('home_directory'), current_setting('temp_directory')",
        "SELECT current_setting('extension_directory'), current_setting('log_query_path')",
        "SELECT * FROM duckdb_variables()",
        "SELECT getvariable('x')",
        "SELECT * FROM duckdb_prepared_statements()",
        "SELECT * FROM duckdb_profiling_settings()",
        "SELECT * FROM duckdb_logs()",
        "SELECT * FROM duckdb_temporary_files()",
        "SELECT * FROM duckdb_external_file_cache()",
        "SELECT * FROM iceberg_scan('x')",
        "SELECT * FROM pragma_version()",
        "SELECT * FROM pragma_platform()",
        "SELECT current_database(), current_schemas(true), current_query(), user, version()",
    ),
    "catalogue": (
        "SELECT * FROM duckdb_databases()",
        "SHOW DATABASES",
        "SELECT * FROM duckdb_schemas()",
        "SELECT * FROM duckdb_tables()",
        "SELECT * FROM duckdb_views()",
        "SELECT * FROM duckdb_columns()",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM information_schema.columns",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM pg_catalog.pg_class",
        "SHOW ALL TABLES",
        "SHOW TABLES",
        "SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal",
    ),
}
"""What may be answered, as long as it tells nothing of the machine and shows nothing deleted."""

HARMLESS: tuple[tuple[str, object], ...] = (
    ("SELECT ';DROP VIEW chunks;' AS x", ";DROP VIEW chunks;"),
    ("SELECT 'COPY x TO ''/tmp/y''' AS x", "COPY x TO '/tmp/y'"),
    ("SELECT 1 /* ; DROP VIEW chunks */", 1),
    ("SELECT 1; -- ;", 1),
    ("SELECT 1;;", 1),
    ("SELECT 7 AS query", 7),
    ("SELECT 'read_text(''/etc/passwd'')' AS x", "read_text('/etc/passwd')"),
    ("WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT 9 FROM t) SELECT max(n) FROM t", 9),
    ("SELECT \U0001f4a3 FROM (SELECT 1 AS \U0001f4a3)", 1),
)
"""What only looks hostile, with its answer."""

VALUES = (
    "'; DROP VIEW chunks; --",
    "$v",
    "\\'; SELECT 1",
    "' UNION SELECT content FROM read_text('/etc/passwd') --",
    "\u2019; DROP VIEW chunks",
    "x" * 100_000,
)

SEARCHES = (
    "SELECT count(*) FROM range(1000000) AS t(i), search('rent ' || i, mode => 'keyword')",
    "SELECT count(*) FROM search('rent', k => 1000000000, mode => 'keyword')",
    "SELECT count(*) FROM search(repeat('rent ', 1000000), mode => 'keyword')",
)

_MANY = 1_000_000_000
BOMBS: dict[str, str] = {
    "cross join": f"SELECT count(*) FROM range({_MANY}) a, range({_MANY}) b",
    "counting": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) "
    "SELECT count(*) FROM t",
    "doubling rows": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t, range(10)) "
    "SELECT count(*) FROM t",
    "string_agg": f"SELECT length(string_agg(range::VARCHAR, ',')) FROM range({_MANY})",
    "groups": f"SELECT range, count(*) FROM range({_MANY}) GROUP BY ALL",
    "sort": f"SELECT * FROM range({_MANY}) ORDER BY hash(range)",
    "lists": f"SELECT list(range) FROM range({_MANY})",
    "unnest": "SELECT count(*) FROM (SELECT unnest(range(100000)) a), "
    "(SELECT unnest(range(100000)) b), (SELECT unnest(range(100000)) c)",
    "correlated": f"SELECT (SELECT count(*) FROM range({_MANY}) b WHERE b.range > a.range) "
    "FROM range(1000000) a",
    "explained": f"EXPLAIN ANALYZE SELECT count(*) FROM range({_MANY}) a, range({_MANY}) b",
    "summarized": f"SUMMARIZE SELECT range, range::VARCHAR FROM range({_MANY}0)",
    "sleep": "SELECT sleep_ms(60000)",
    "sleeps": "SELECT max(sleep_ms(20)) FROM range(100000)",
    "chained": "WITH c0 AS (SELECT 1 x)"
    + "".join(f", c{i} AS (FROM c{i - 1} UNION ALL FROM c{i - 1})" for i in range(1, 40))
    + " SELECT count(*) FROM c39",
    "many joins": "SELECT count(*) FROM " + ", ".join(f"range(10) r{i}" for i in range(100)),
    "parentheses": "SELECT " + "(" * 2000 + "1" + ")" * 2000,
    "subqueries": "SELECT * FROM " + "(SELECT * FROM " * 1500 + "range(1)" + ")" * 1500,
    "negations": "SELECT " + "NOT " * 5000 + "true",
    "additions": "SELECT 1" + " + 1" * 5000,
    "brackets": "SELECT json_structure('" + "[" * 20_000 + "]" * 20_000 + "')",
    "cube": "SELECT count(*) FROM (SELECT "
    + ", ".join(f"1 AS c{i}" for i in range(30))
    + ") GROUP BY CUBE("
    + ", ".join(f"c{i}" for i in range(30))
    + ")",
    "repetition": "SELECT regexp_matches('x', '(x{1000}){1000}')",
    "a megabyte of name": 'SELECT "' + "x" * 1_000_000 + '" FROM chunks',
}
"""What would take for ever, or all memory; each must end in an error."""


GREEDY = ("lists", "groups", "sort", "string_agg", "doubling rows", "chained")
"""Bombs that reach the limit of memory, where the one of time is far."""

UNSTOPPABLE: dict[str, str] = {
    "growing": f"SELECT length(repeat('x', {_MANY}))",
    "busy": "SELECT levenshtein(repeat('ab', 50000), repeat('ba', 50000))",
}
"""What goes on after it was interrupted, for most of a minute: it is one call of a function."""


def _peak_mib() -> int:
    """Return the most memory this program had; ``ru_maxrss`` counts that of its parent as well."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.findall(r"VmHWM:\s*(\d+) kB", status.read_text())[0]) >> 10
    import resource

    unit = 20 if sys.platform == "darwin" else 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> unit


def main(data: str, name: str, /) -> dict[str, Any]:
    """Set off every bomb over a collection; return what each did, and the memory at its peak."""
    import resource

    from casetrack.config import load_settings
    from casetrack.errors import CaseTrackError
    from casetrack.library import Library
    from casetrack.query.run import run_query

    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    collection = Library(load_settings(Path(data))).get(name)
    tables = Reading(collection.workspace.state())

    def found(statement: str, **limits: Any) -> dict[str, Any]:
        started, error, hint = time.process_time(), "", ""
        try:
            run_query(statement, tables, **limits)
        except CaseTrackError as raised:
            error, hint = raised.message, raised.hint
        return {"seconds": time.process_time() - started, "error": error, "hint": hint}

    bombs = {name: found(bomb, **BRIEF) for name, bomb in BOMBS.items()}
    greedy = {name: found(BOMBS[name], **TIGHT) for name in GREEDY}
    peak = _peak_mib()
    (count,) = collection.sql("SELECT count(*) AS n FROM documents")["n"].to_pylist()
    return {"bombs": bombs, "greedy": greedy, "peak_mib": peak, "afterwards": count}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(*sys.argv[1:])))
