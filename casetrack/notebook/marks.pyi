from casetrack.faces.notebook.marks import *
