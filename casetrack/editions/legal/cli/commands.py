"""The commands of the edition for lawyers, as ``casetrack --help`` groups them."""

from casetrack.faces.cli.layout import Command, Entry, Family

_LEGAL = "casetrack.editions.legal"
_HERE, _FOUND = f"{_LEGAL}.cli", f"{_LEGAL}.discovery"

# fmt: off
_COMMANDS: tuple[Entry, ...] = (
    Command("citator", f"{_LEGAL}.citator:citator", "Show who cites an authority, and how.",
            '"509 U.S. 579" -c "Smith v. Jones"'),
    Family("case", "Make, list, choose, describe, delete cases.",
           "Make, list, choose, describe and delete cases.", (
        Command("create", f"{_HERE}.case:create", "Make an empty case, and use it from now on.",
                '"Smith v. Jones" --number 2:24-cv-01234 --type contract'),
        Command("list", f"{_HERE}.case:list_cases", "List the cases.", "--status all"),
        Command("use", f"{_HERE}.case:use",
                "Choose the case that commands work on.", '"Smith v. Jones"'),
        Command("info", f"{_HERE}.case:info", "Show what a case holds and where it lies.",
                '"Smith v. Jones"'),
        Command("delete", f"{_HERE}.case:delete",
                "Delete a case; your files stay.", '"Smith v. Jones"'),
    )),
    Command("docket", f"{_LEGAL}.docket:read_docket", "Show what a court's docket lists.",
            '"Docket.html" -c "Smith v. Jones"'),
    Command("authorities", f"{_HERE}.papers:authorities",
            "Make the table of authorities of a brief.",
            "Brief.pdf --compare -o Authorities.docx"),
    Command("chronology", f"{_HERE}.chronology:chronology", "Make the chronology of a case.",
            "-c Smith -o Chronology.docx"),
    Family("discovery", "Threads, productions, load files, logs.",
           "Work on what the parties give each other.", (
        Command("threads", f"{_FOUND}.threads:mail_threads", "Show who answered whom in the mails.",
                "-c Acme --document HAR000005"),
        Command("families", f"{_FOUND}.families:families",
                "Show what is attached to what.", "-c Acme"),
        Command("duplicates", f"{_FOUND}.duplicates:duplicates",
                "Show what is there twice, or nearly.",
                "-c Acme --least 0.9"),
        Command("load", f"{_HERE}.discovery:load",
                "Take in a production by its load file (DAT, OPT).",
                "VOL001/DATA/VOL001.dat -c Acme"),
        Command("export", f"{_FOUND}.export:export_production", "Write documents as a production.",
                "Produced/ -c Acme --tag produce --prefix ABC"),
        Command("privilege", f"{_HERE}.discovery:privilege", "Write the log of what is withheld.",
                "-c Acme --attorney roe.example --to Log.docx"),
        Command("stamp", f"{_HERE}.redact:stamp", "Stamp copies with Bates numbers.",
                "Production/ --prefix ABC --to ABC001 --legend CONFIDENTIAL"),
    )),
    Command("check", f"{_HERE}.papers:check", "Check each citation and quotation of a draft.",
            '"Brief in support.docx" -c "Smith v. Jones"'),
    Command("redactions", f"{_HERE}.redact:redactions",
            "Find covered words that can still be copied.",
            "Exhibits/*.pdf"),
    Command("redact", f"{_HERE}.redact:redact", "Take words out of a copy of a PDF, with proof.",
            'Letter.pdf --words "Jane Roe" --kind ssn --to Letter_redacted.pdf'),
)
# fmt: on

GROUP = ("A lawyer's case file", _COMMANDS)
"""The group of these commands in the list of all."""
