from casetrack.api.evaluate import *
