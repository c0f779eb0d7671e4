from casetrack.faces.notebook.progress import *
