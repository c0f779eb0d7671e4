from casetrack.faces.notebook.plots import *
