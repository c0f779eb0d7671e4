from casetrack.faces.notebook import *
