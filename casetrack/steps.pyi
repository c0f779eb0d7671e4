from casetrack.ingest.steps import *
from casetrack.ingest.steps.base import Batches as Batches
