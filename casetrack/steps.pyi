from casetrack.ingest.steps import *
