from casetrack.faces.notebook.show import *
