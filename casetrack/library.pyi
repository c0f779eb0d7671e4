from casetrack.api.library import *
