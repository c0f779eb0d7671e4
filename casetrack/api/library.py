"""The data folder and its collections.

The collections are the folders below ``collections`` with a ``collection.json``; there is no
second register that could differ.
"""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

from casetrack.api.collection import Collection
from casetrack.api.collection.progress import listener, silent
from casetrack.api.holdings import Holdings, initial_profile
from casetrack.api.operation import (
    ADDS,
    DELETES,
    SWITCHES,
    Arg,
    PathRef,
    Work,
    arguments_of,
    operation,
)
from casetrack.base.arguments import as_list
from casetrack.base.crypt.secret import Secret
from casetrack.base.errors import CaseTrackError, See, StorageError, UsageError
from casetrack.base.records import DEFAULT_PROFILE, Check, CollectionInfo, HealthReport
from casetrack.store import audit
from casetrack.store.damage import damage_errors
from casetrack.store.folders import sweep_home

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Mapping
    from datetime import date

    import pyarrow as pa

    from casetrack.base.records import SearchMode, SearchResults
    from casetrack.base.records.cards import QueryReport
    from casetrack.base.records.snapshots import ImportReport, UpkeepReport
    from casetrack.store.workspace import Searched

    SearchedBy = Searched

_repairs = logging.getLogger("casetrack.repairs")


def across_arguments(given: Mapping[str, Any], face: str, /) -> dict[str, Any]:
    """Return the arguments that a search of several collections accepts.

    Raises ``UsageError`` if an argument applies to a single collection only.
    """
    known = inspect.signature(Library.search).parameters
    own = [each for each in arguments_of(Collection.search) if each.name not in known]
    refused = [each for each in own if given.get(each.name, each.default) != each.default]
    if refused:
        names = [each.cli_name if face == "cli" else each.mcp_name for each in refused]
        raise UsageError(
            f"{' and '.join(names)} cannot be used with several collections.",
            hint="Name one collection.",
        )
    return {name: value for name, value in given.items() if name in known}


class Library(Holdings):
    """All collections of a data folder.

    Parameters
    ----------
    settings
        See :func:`casetrack.base.config.load_settings`.
    tier
        Replaces the license, for programs that measure or show the engine itself
        (:data:`casetrack.base.license.UNLIMITED`).
    display
        Shows the progress of long work (:func:`show_work`); without it, work is silent.
    searched_by
        Searches the index in other processes, such as
        :meth:`casetrack.cluster.search.coordinator.Coordinator.lists`; by default in this one.
    """

    def search(
        self,
        query: str,
        /,
        *,
        collections: Sequence[str] | str = (),
        limit: int = 10,
        mode: SearchMode | None = None,
        kinds: Iterable[str] | str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        paths: Iterable[str] | str | None = None,
        languages: Iterable[str] | str | None = None,
        vocabulary: bool = True,
        min_relevance: float | None = None,
    ) -> SearchResults:
        """Return the best passages of several collections in one ranking, each with its source.

        Every result names its collection. The relevance, on one scale for all, decides between
        collections; each keeps the order of its results. Raises ``UsageError`` if there is no
        collection, or an argument is wrong.

        Parameters
        ----------
        collections
            Names or ids; by default all that are not archived, where one that cannot be searched
            becomes a note.
        """
        from casetrack.search.across import across
        from casetrack.search.search import check

        check(query, limit)
        began = time.perf_counter()
        named = [self.find(each) for each in as_list(collections)]
        asked = {
            i.id: i.name for i in named or self.collections() if named or i.status != "archived"
        }
        if not asked:
            raise UsageError(
                "There is no collection to search.", hint="Create one, and add documents first."
            )
        answers: list[SearchResults] = []
        failed: list[str] = []
        for collection_id, name in asked.items():
            try:
                answer = self.get(collection_id).search(
                    query,
                    limit=limit,
                    mode=mode,
                    kinds=kinds,
                    since=since,
                    until=until,
                    paths=paths,
                    languages=languages,
                    vocabulary=vocabulary,
                    min_relevance=min_relevance,
                )
            except CaseTrackError as error:
                if named or len(asked) == 1 or isinstance(error, UsageError):
                    raise
                failed.append(f"{name} was not searched: {error.message}")
            else:
                answers.append(answer)
        if not answers:
            raise StorageError("No collection could be searched.", hint="\n".join(failed))
        joined = across(answers, limit, began)
        return replace(joined, notes=(*joined.notes, *failed))

    @overload
    def sql(
        self, statement: str, /, *, collections: Sequence[str], explain: Literal[True], **given: Any
    ) -> QueryReport: ...
    @overload
    def sql(
        self,
        statement: str,
        /,
        *,
        collections: Sequence[str],
        explain: Literal[False] = ...,
        **given: Any,
    ) -> pa.Table: ...
    def sql(
        self, statement: str, /, *, collections: Sequence[str], **given: Any
    ) -> pa.Table | QueryReport:
        """Run a reading SQL statement over several collections, each a schema of its name.

        Views and functions belong to one collection, such as ``"Case A".documents`` or ``"Case
        A".search('rent')``; the statement combines them. Of a single collection the schema can be
        left out. *given* are arguments of :meth:`casetrack.api.collection.Collection.sql`. Raises
        ``UsageError`` if no collection was given.
        """
        from casetrack.search.query.run import ask

        if isinstance(collections, str):
            collections = (collections,)
        if not collections:
            raise UsageError(
                "No collection was given.", hint='Use at least one: collections=("Case A",).'
            )
        opened = {c.info.id: c.workspace for c in map(self.get, collections)}
        if self.settings.audit_searches:
            for workspace in opened.values():
                audit.note(workspace.folder, "queried", detail=statement)
        return ask(
            lambda: {w.name: w.state() for w in opened.values()},
            self.settings.sql,
            statement,
            **given,
        )

    @operation("import", ADDS, work=Work("Importing", "bytes", "import", "Import of {path.name}"))
    def import_archive(
        self,
        path: Annotated[PathRef, Arg(cli="FILE", path=True)],
        /,
        *,
        name: Annotated[str | None, Arg(cli="--name NAME")] = None,
        passphrase: str | Secret | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> ImportReport:
        """Create a collection from an exported file.

        The whole file is checked first; a damaged one is refused and leaves nothing behind. An
        encrypted one needs its passphrase or key file. The collection gets a new id and keeps its
        status, its tags and all other facts.

        Parameters
        ----------
        path
            The .ctcollection or .ctsealed file.
        name
            The name; by default the exported one.
        passphrase
            A passphrase, or a key file (:meth:`casetrack.base.crypt.secret.Secret.from_file`).
        progress
            Called from this thread with the current step, the work done and the total.

        Raises
        ------
        FileNotFound, WrongPathKind
            There is no such file.
        CollectionExists, UsageError
            *name* is in use, or is not a valid name.
        ArchiveDamaged, PassphraseMissing, PassphraseWrong, EncryptedFileDamaged, FutureSchema
            The file cannot be imported; nothing was imported.
        FreeTierLimit
            The tier does not allow more collections, or not as many documents.
        JobStopped
            *cancel* was set; nothing was imported.
        DiskFull, NotWritable, StorageError
            The data folder cannot be written.
        """
        from casetrack.keep.transfer.import_archive import Admission, import_archive

        sweep_home(self._home)
        report = import_archive(
            self.settings,
            Path(path).expanduser(),
            name=name,
            admit=Admission(
                self._allow_collection,
                lambda edition, count: self.entitlements.of_edition(edition).allow_archive(count),
            ),
            secret=None if passphrase is None else Secret.of(passphrase),
            tell=progress,
            cancel=cancel,
        )
        info = self.get(report.collection_id).info  # migrates an older format
        try:
            missing = self.missing_models(info.profile)
        except UsageError:
            missing = (
                f'This version of CaseTrack does not know the profile "{info.profile}" of its '
                "vectors, so passages are found by their words only. Choose other models with "
                f"{See('reindex', profile=True)}."
            )
        return replace(report, notes=(missing,) if missing else ())

    @operation("upkeep", DELETES)
    def upkeep(
        self,
        *,
        collection: Annotated[str | None, Arg(cli="--collection -c NAME")] = None,
        secure: Annotated[bool, Arg(cli="--secure")] = False,
        if_needed: Annotated[bool, Arg(cli="--if-needed")] = False,
        wait: bool = False,
        cancel: threading.Event | None = None,
    ) -> tuple[UpkeepReport, ...]:
        """Free disk space, and remove deleted or replaced content for good.

        The searchable content stays the same. Deleted content stays in files for 15 minutes, for
        programs that still read it; the first upkeep after that removes it. --secure removes it
        now, together with all snapshots, which would still contain it. Without a collection, upkeep
        runs for all, also closed and archived ones.

        Parameters
        ----------
        collection
            Only this collection, by its name or ID.
        secure
            Remove all deleted data from all files, with all named snapshots.
        if_needed
            Only collections with data to remove.
        wait
            Wait for other programs that write to a collection; otherwise skip it.
        """
        reports = []
        for name in [i.id for i in self.collections()] if collection is None else [collection]:
            if cancel is not None and cancel.is_set():
                break
            try:
                admin = self.get(name).admin
                reports.append(
                    admin.upkeep(secure=secure, if_needed=if_needed, wait=wait, cancel=cancel)
                )
            except CaseTrackError as error:
                if collection is not None:
                    raise
                # A damaged collection must not stop the upkeep of the others.
                _repairs.warning('"%s" was skipped: %s %s', name, error, error.hint)
        return tuple(report for report in reports if report is not None)

    @operation("doctor", SWITCHES, work=Work("Checking", "documents"))
    def doctor(
        self,
        *,
        collection: Annotated[str | None, Arg(cli="--collection -c NAME")] = None,
        deep: Annotated[bool, Arg(cli="--deep")] = False,
        repair: Annotated[bool, Arg(cli="--repair")] = False,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> HealthReport:
        """Check the data folder, the models and every collection.

        With a collection: only that one and the audit log.

        Parameters
        ----------
        collection
            Only this collection, by its name or ID.
        deep
            Read all unchanged source files again and compare every page; rebuild the index and
            compare every row. Can take as long as ingesting.
        repair
            First repair problems without loss, and report the repairs. Documents and your files are
            never removed.
        progress
            See :meth:`casetrack.api.collection.admin.Admin.doctor`.
        """
        from casetrack.keep import health

        if collection is not None:
            admin = self.get(collection).admin
            return admin.doctor(deep=deep, repair=repair, progress=progress)
        home, collections = self.settings.data_dir, self._home
        repairs = health.repair_data_dir(home, collections) if repair else []
        repairs += health.make_private(home) if repair else []
        unmended: list[str] = []
        checks = [health.check_data_dir(home), *health.check_models(self.settings.models_dir)]
        checks += [health.check_remains(home, collections), *health.check_notebooks(home)]
        checks += [health.check_private(home), self.audit.check()]
        checks += [health.damaged_collection(folder, reason) for folder, reason in self.damaged()]
        for info in self.collections():
            report = self._check_collection(info, deep=deep, repair=repair, progress=progress)
            checked = (*report.checks, *_backup_checks(collections, info))
            checks += [replace(check, name=f"{info.name}: {check.name}") for check in checked]
            repairs += [f"{info.name}: {entry}" for entry in report.repairs]
            unmended += [f"{info.name}: {entry}" for entry in report.unmended]
        return HealthReport(tuple(checks), tuple(repairs), tuple(unmended))

    def _check_collection(
        self,
        info: CollectionInfo,
        *,
        deep: bool,
        repair: bool,
        progress: Callable[[str, int, int], None] | None,
    ) -> HealthReport:
        """Check one collection; if it cannot be opened, the others are still checked."""
        from casetrack.keep.health.doctor import examine

        try:
            workspace = self.get(info.id).workspace
            with damage_errors(workspace.folder):
                return examine(
                    workspace, deep=deep, repair=repair, tell=listener(progress) or silent
                )
        except CaseTrackError as error:
            check = Check("opening", ok=False, detail=error.message, remedy=error.hint)
            return HealthReport((check,))

    def profile_notice(self, profile: str, /) -> str | None:
        """Return the notice for a profile that sends texts to other machines.

        Raises ``UsageError`` if there is no such profile.
        """
        from casetrack.base.models.profiles import find_profile
        from casetrack.models import providers

        chosen = find_profile(initial_profile(profile.strip().lower()))
        return providers.notice(chosen.name, self.settings) if chosen.provider else None

    def missing_models(self, profile: str, /) -> str | None:
        """Return the next step if models of a profile are not installed, else an empty text.

        Raises ``UsageError`` if there is no such profile.
        """
        from casetrack.base.models.profiles import find_profile
        from casetrack.models import pull

        chosen = find_profile(initial_profile(profile.strip().lower()))
        ready = {model.name for model in pull.installed(self.settings.models_dir)}
        missing = [name for name in chosen.model_names if name not in ready]
        if not missing:
            return None
        command = "casetrack models pull"
        command += "" if chosen.name == DEFAULT_PROFILE else f" {chosen.name}"
        return (
            f'The models of the profile "{chosen.name}" are not installed yet '
            f"({', '.join(missing)}): until then documents are found by words only. Run "
            f"`{command}` once while online; documents added before get their vectors with "
            f"{See('reindex')}."
        )


def _backup_checks(home: Path, info: CollectionInfo) -> list[Check]:
    """Report the size of backups in a collection's folder."""
    from casetrack.store.migrations import backups

    return [
        Check(
            "backup",
            ok=True,
            detail=f"as it was in version {backup.version}, made on {backup.made_at:%Y-%m-%d}, "
            f"{backup.size_bytes / 2**20:,.1f} MB in {backup.path}",
        )
        for backup in backups(home / info.id)
    ]
