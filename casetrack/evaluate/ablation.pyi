from casetrack.api.evaluate.ablation import *
