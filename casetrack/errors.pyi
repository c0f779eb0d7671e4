from casetrack.base.errors import *
