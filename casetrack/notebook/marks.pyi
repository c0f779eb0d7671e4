from casetrack.faces.notebook.tables import *
