from casetrack.api.evaluate.measures import *
