"""``python -m casetrack`` is the same as ``casetrack``."""

from casetrack.faces.cli.main import run

if __name__ == "__main__":
    run()
