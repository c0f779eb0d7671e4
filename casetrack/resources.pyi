from casetrack.base.resources import *
