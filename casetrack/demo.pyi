from casetrack.faces.demo import *
